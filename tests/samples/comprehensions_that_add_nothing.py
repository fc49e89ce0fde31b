"""A test that cannot hold goes, and with it what would be added."""


def f(a):
    p = [x for x in a if False]
    q = {x for x in a for y in x if False}
    r = {x: 1 for x in a if 0}
    return p, q, r, (x for x in a if False)


async def g(a):
    return [x async for x in a if False], {x for x in a if False and x.b}
