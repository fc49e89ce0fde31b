# compiles to the same code
"""The test was turned round and back while the value on its left, kept on the stack, was not read yet (3.13)."""


def f(xs, needle, tag):
    return tuple(
        p
        for p in xs
        if needle
        in " ".join(
            (
                p.a,
                p.b or "",
            )
        )
        and (not tag or tag in {word for word in p.k})
    )
