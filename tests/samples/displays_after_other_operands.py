def f(a, b, c):
    class C(*[], metaclass=type):
        def m(self):
            return a, b

    match (a, c):
        case 's':
            return [*a[a], [b, c]]
        case str() as c:
            return a([a, b], k=b)
        case _:
            return a
