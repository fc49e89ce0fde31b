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


def names_that_the_compiler_stores_to():
    __qualname__ = __module__ = __firstlineno__ = 1

    class C:
        nonlocal __firstlineno__

    class D:
        nonlocal __qualname__
        x = __qualname__

    class E:
        global __qualname__
        nonlocal __module__
        x = 1

    return C, D, E, __qualname__, __module__, __firstlineno__
