def f(a, b, c):
    x = y = a
    x[a if (x := g(b)) else c] = a
    y = x + g(y, (x := b), x, (y := c))
    with g(a, (a := b + 1), [a, (a := (b := c)), a, b]):
        return g(x, y if (y := a | (a := x)) else c)
