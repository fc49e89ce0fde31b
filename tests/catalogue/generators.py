# generators, coroutines, asynchronous everything


def yields(a):
    yield a


def yields_nothing():
    yield


def yields_in_loop(a):
    for x in a:
        yield x


def yields_sent(a):
    x = yield a
    return x


def yields_argument(a):
    g((yield a), (yield))


def yields_from(a):
    yield from a


def yields_from_value(a):
    x = yield from g(a)
    return x


def yields_in_try(a):
    try:
        yield a
    except KeyError:
        yield 1


def yields_in_finally(a):
    try:
        yield a
    finally:
        g(a)


def yields_in_with(a):
    with a as b:
        yield b


def yields_forever(a):
    while True:
        yield a


def yields_until(a):
    while a:
        yield a
        a = g(a)


def yields_in_condition(a):
    if (yield a):
        g(a)


def yields_and_returns(a):
    if a:
        return 1
    yield a


def yields_tuple(a, b):
    yield (a, b)


def yields_accumulated(a):
    total = 0
    while True:
        total += yield total


async def coroutine(a):
    return a


async def awaits(a):
    return await a


async def awaits_call(a):
    x = await g(a)
    await x
    return x


async def awaits_in_expression(a, b):
    return await a + await b


async def awaits_in_try(a):
    try:
        await a
    except KeyError:
        await g(a)


async def awaits_in_finally(a):
    try:
        return await a
    finally:
        await g(a)


async def awaits_in_loop(a):
    for x in a:
        await x


async def asynchronous_for(a):
    async for x in a:
        g(x)


async def asynchronous_for_else(a):
    async for x in a:
        if x:
            break
    else:
        g(a)
    return a


async def asynchronous_for_break(a):
    async for x in a:
        if x:
            continue
        if g(x):
            return x
        h(x)


async def asynchronous_with(a):
    async with a:
        g(a)


async def asynchronous_with_as(a):
    async with a as b:
        return b


async def asynchronous_with_two(a, b):
    async with a as x, b as y:
        g(x, y)


async def asynchronous_with_in_loop(a):
    for x in a:
        async with x:
            if g(x):
                continue
            h(x)


async def asynchronous_generator(a):
    yield a


async def asynchronous_generator_loop(a):
    async for x in a:
        yield x


async def asynchronous_comprehension(a):
    return [x async for x in a]


async def asynchronous_comprehension_if(a):
    return {x: y async for x, y in a if x}


async def asynchronous_generator_expression(a):
    return (x async for x in a)


async def awaits_in_comprehension(a):
    return [await x for x in a]


def generator_inside(a):

    def h():
        yield a
    return h()


def coroutine_inside(a):

    async def h():
        await a
    return h


async def asynchronous_comprehensions_in_statements(x, z):
    async with x as y:
        async for i in y:
            async with z:
                v = [k async for k in i]
                if v:
                    break
        else:
            return [j async for j in z if [k async for k in j]]
    return [lambda: w async for w in z]


async def asynchronous_comprehension_in_a_finally(x, z):
    try:
        return {i: await j async for i in x if await g(i) for j in i}
    finally:
        await z


async def asynchronous_comprehension_chosen(x, c):
    if c:
        y = {i async for i in x}
    else:
        y = [j async for i in x for j in i]
    return y
