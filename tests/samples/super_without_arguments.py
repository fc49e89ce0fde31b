# compiles to the same code
"""`super()` where no argument could be its second: from 3.12 on a call like any other, in a class where others are one
operation with what is read of them."""


def f():
    class C(dict):
        def g(self):
            return super().__len__()

        def h(*self):
            return super().__len__()

    return C().g()
