# comes back as written since 3.11
def f(a, b, c):
    for x in a:
        if not (y := c.get(x)):
            continue
        elif x in b:
            return False
        b.add(y)
