# compiles to the same code
async def f(a, b):
    try:
        yield
    finally:
        raise a(b)
