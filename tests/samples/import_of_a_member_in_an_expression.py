def f(a):
    if a:
        import os.path as p
    else:
        p = None
    return p
