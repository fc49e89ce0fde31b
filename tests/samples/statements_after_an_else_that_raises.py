# comes back as written since 3.11
async def f(self, x):
    try:
        x.a()
        if x.c:
            x.d()
    except Exception:
        raise E
    if 100 <= x.e < 200:
        y = f'a {x} b'
        await g(y)
    else:
        raise S(x)
    self.w = W(x)
    await self.w.c(x)
    return self.w
