# comes back as written
def f(a, b, p):
    class C:
        q: [a, a] if a else [*b, a] = p
        r: [*a] if a else [*b, a] = p
