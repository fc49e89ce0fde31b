# compiles to the same code since 3.11
"""Both lead to the end of the handler, each to one of its own in one copy of the suite and to one in the other."""


async def f(session, known):
    try:
        result = await use(session)
    except KeyError as error:
        log(error)
    finally:
        try:
            await close(session)
        except ValueError as error:
            if known is None and isinstance(error, UnicodeError):
                raise
    return result
