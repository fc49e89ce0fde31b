# compiles to the same code
def f(a):
    try:
        match a:
            case [1, _]: pass
    except KeyError: pass
