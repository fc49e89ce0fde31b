# compiles to the same code
async def f(a, b):
    if (config := await a()) is None or not b(config):
        config = {}
    b(config)
