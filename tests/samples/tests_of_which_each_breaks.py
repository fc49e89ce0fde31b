# compiles to the same code
def f(a, b):
    for member in a:
        if g(member):
            if h(member, b):
                break
        elif k(member):
            if h(member.x, b) or h(member.y, b) or h(member.z, b):
                break
    return b
