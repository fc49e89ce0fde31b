# comes back as written since 3.11
def f(x):
    for y in x:
        if y: pass
    for y in x:
        if not y: pass
    for y in x:
        if y and x: pass
    while x:
        if x(): pass
    for y in x:
        if y:
            pass
    for y in x:
        if y:
            x()
        elif x: pass
