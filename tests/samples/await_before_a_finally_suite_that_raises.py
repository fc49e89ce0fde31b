# compiles to the same code
async def f(a):
    try:
        await g(a)
    finally:
        raise K
