"""What fills a list of constants stands after it, and is no part of what the compiler copied to both arms."""


def f(g, r, x):
    if x:
        return g(*x, y=3, z=1 if r else 2)
    g(
        g(1),
        [(1, "a"), (2, "b"), (3, "c")]
        if r
        else [(1, "a"), (2, "b"), (4, "d")],
    )
