def f(a, b):
    class C(*a, **b):
        pass
    return C
