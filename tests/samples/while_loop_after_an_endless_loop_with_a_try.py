# compiles to the same code
def f(fp, g):
    while True:
        line = fp.readline()
        if line is None:
            break
        if line.m:
            try:
                fp()
            except ValueError:
                g.a = 1
            else:
                g.b = 2
    while g.x:
        g(1)
