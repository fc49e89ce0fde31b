def f(a, b):
    while a < 2:
        a += 1
        try:
            continue
        finally:
            break
    g(a)
    while a < 2:
        a += 1
        try:
            a / b
        finally:
            break
    h(a)
