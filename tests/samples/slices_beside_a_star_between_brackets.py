# comes back as written
def f(xs, ys):
    xs[0, :, *ys] = xs[*ys, 1:2, ::3]
    return len(xs[0, :, *ys, :], key=xs[:, *ys])
