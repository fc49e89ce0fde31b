# compiles to the same code
"""The test of the loop is compiled after that of the `if`, and leads to the same place; it is written above."""


def compared(n):
    while n != 1:
        n = k(n)
        if n > 100:
            break
    return n


def tested(n):
    while n:
        k(n)
        if h(n):
            break
    k()


def on_one_line(n):
    while n < 3:
        k(n)
        if h(n): break
    return n


def chunks(xs, n):
    it = iter(xs)
    while chunk := [x for _, x in zip(range(n), it)]:
        yield chunk


def of_several_parts(xs):
    while any([f(x) for x in xs]) and not {y for y in xs if y}:
        xs = g([z for z in xs])
        if xs.a:
            break
