def f(x, names):
    for _, _, op, arg in x:
        if op in names:
            _, _, z = arg
            names[z] = op
    return names
