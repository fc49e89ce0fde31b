def f(a, b, x):
    try:
        x = g(a)
    except KeyError:
        pass
    except ValueError as e:
        pass
    return x
