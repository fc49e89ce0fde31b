def f(a, b, c):
    while c:
        if b:
            c += a and (b if a else c)
            return
        b += a if c else c
        break
    else:
        c += b() and (c if a else b)
