def f(a, b):
    a(*([] or [2]))

    @[b][0].x
    def g(x):
        pass

    closure = 1

    def h(*, k=1):
        return closure

    def i(a: 1 = 3, *, b: 3 = 4, c=b) -> 12:
        return closure

    return g, h, i
