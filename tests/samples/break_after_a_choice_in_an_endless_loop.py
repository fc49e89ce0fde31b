def f(a, b, c):
    while True:
        if a():
            if b():
                value = a
            else:
                try:
                    value = c()
                except ValueError as e:
                    continue
            b(value)
        break
    raise c
