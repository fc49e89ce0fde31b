def f(a, b):
    class C:
        x = a
        b = b

        def g(self):
            return a

        class D(C):
            y = a, b
            z = [a for _ in y]

            def h(self):
                return __class__, b

        def k(self):
            nonlocal a
            a = 1

    class E:
        nonlocal b
        b = 2
        c = b

    return C, E
