# compiles to the same code
def f(a):
    try:
        yield from g(a)
    finally:
        raise K
