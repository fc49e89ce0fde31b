# compiles to the same code
"""A comparison of four fails in two places with values on the stack, and in a third without; all return from there."""


def f(self):
    if self.a == self.b == self.c == 0:
        raise ValueError("all are nothing")
