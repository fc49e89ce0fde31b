"""Without its declaration the name would mean the variable of the function around."""


def f(a):
    w = a

    def g():
        global w
        return [w for _ in a], lambda: w

    class C:
        def h(self):
            global w
            return w

    return w, g, C
