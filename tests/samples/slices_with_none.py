# compiles to the same code
def f(a,b):
    return a[::None], a[::None, ...], a[1:None:None,b], a[:None], a[None:b], a[::b,...], a[:, b], a[None:None, b]
