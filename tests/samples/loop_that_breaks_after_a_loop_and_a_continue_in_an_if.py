"""Two ways lead into what stands before the `break`, which nothing comes back from."""


def f(items, g, h):
    for item in items:
        if item.a:
            if item.b:
                continue
            g(item)
        for part in item.parts:
            h(part)
        break
    while items.more:
        if items.a:
            if items.b:
                continue
            g(items)
        try:
            h(items)
        finally:
            g(items)
        break
    return g(items)
