# py>=3.14
name = t"{a}{b!s}{c:>{d}} {{x}} {e.f(g, 'x')!r:1}"
empty = t''
joined = t'a{b}'


def nested(x, y):
    return t'{x}{y:{x}}', f"{x}{t'{y}'}", t'{ {1: 2}[1] }', t"{f'{x}'}"


def with_comprehension(xs):
    return t'{[x for x in xs]}', t'{(lambda: xs)}'
