# comes back as written
async def f(x):
    while True:
        if x:
            async with x:
                a()
            continue
        b()
