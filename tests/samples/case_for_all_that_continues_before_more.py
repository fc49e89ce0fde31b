# comes back as written since 3.11
def f(xs):
    for x in xs:
        match x:
            case N(name=name) | A(attrname=name):
                pass
            case _:
                continue
        if name in D:
            return True
        if name in F:
            return True
    return False
