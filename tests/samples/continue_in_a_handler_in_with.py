def f(fp, cre):
    with fp:
        for line in fp:
            if cre:
                try:
                    x = g(line)
                except SyntaxError:
                    continue
                y = h(x)
                return y
    return None
