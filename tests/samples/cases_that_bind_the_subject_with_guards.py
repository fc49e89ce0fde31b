"""Cases that match all, one after the other: that each binds the subject shows what they are."""


def f(value, kind, g):
    match value:
        case "a":
            g()
        case value if kind == "r":
            g(value)
        case value if kind == "d":
            g(kind)
    return g(value, kind)
