# comes back as written since 3.11
def f(self, node):
    match node:
        case N(name=a, value=D() as b):
            pass
        case _:
            return
    match node.c():
        case M(name=d, slice=e):
            if d == a:
                g(b, e)
