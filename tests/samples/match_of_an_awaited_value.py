# compiles to the same code since 3.12
async def f(kind, a):
    match await kind:
        case None | True:
            return a(kind)
        case _:
            return None
