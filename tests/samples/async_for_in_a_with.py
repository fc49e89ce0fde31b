"""3.10: what ends the loop leaves the handler that it begins."""


async def f(a, b):
    async with a as c:
        async for d in b:
            g(d)
    try:
        async for d in b:
            h(d)
    finally:
        g(a)
    return c
