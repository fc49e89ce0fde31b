# compiles to the same code
def f(args):
    for k, v in args:
        if not (k and v):
            continue
        e = g(k)
        if h(v):
            for a in v:
                g(a)
        else:
            e.text = v
