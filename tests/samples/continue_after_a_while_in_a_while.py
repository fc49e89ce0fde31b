# comes back as written
def f(items, x):
    while items:
        if x:
            while x:
                x.pop()
            continue
        x(items)
