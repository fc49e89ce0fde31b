# open: BuildClass has no source form where it stands
def f(a, b):
    class C(*a, **b):
        pass
    return C
