# compiles to the same code
"""Python 3.14 forgets the handler of a test that it leads past another one; that is so again with the same words."""
def f(a, b, c, d):
    try:
        x = (a == () or b == ()) or c == d
        y = ((a() and b()) or c()) or d()
        g((((a() or b()) and c()) and d()) or x)
        return (a() or (b() and y)) and d
    except ValueError:
        return None
