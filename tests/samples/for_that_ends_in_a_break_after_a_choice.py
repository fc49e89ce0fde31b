# compiles to the same code
"""What stands before the `break` at the end is reached in several ways, and does not come back."""


def f(xs, ys):
    for n in ys:
        for i in xs:
            if i < n:
                c = g(i)
                if c.b:
                    c.d()
                    if c.e:
                        continue
            if n:
                h(c)
            break
        if i:
            break
    return n
