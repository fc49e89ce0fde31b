# compiles to the same code
# comes back as written
"""The compiler leaves to do what it would have done with the constant itself."""


def f(a):
    if a > 1:
        return -(1 if a == 2 else 0)
    return ("x" if a else "y") + "z"
