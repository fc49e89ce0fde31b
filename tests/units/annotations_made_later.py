# py>=3.14
"""Annotations that may name what is defined below."""
first: int = 1
second: Later
first_again: list[Later] = []
if first:
    third: 'text'
    fourth: int = 2
for i in range(3):
    fifth: i


class Plain:
    """Documented."""
    a: int
    b: Later = first
    c: 'Later'
    d: dict[str, list[Later]] = {}

    def method(self, x: a, *rest: b, key: Later = 1, **named: c) -> d:
        local = 3
        return local


class Conditional:
    before: int = 1
    if before:
        inside: int
        __private: int = 3
    try:
        tried: Later
    except Exception:
        pass
    after: [x for x in range(3)]


class Later[T]:
    x: T
    y: Conditional = None

    def method[U: (int, T)](self, x: T, y: U) -> Plain.a:
        return lambda: x


def closes_over(kind):
    def inner(x: kind, y: kind.other = 3) -> list[kind]:
        pass

    class Inner:
        x: kind
        if kind:
            y: kind

    return inner, Inner


@decorator
async def decorated(x: int, /, y: str) -> (yes if first else no):
    pass


class Later2:
    pass
