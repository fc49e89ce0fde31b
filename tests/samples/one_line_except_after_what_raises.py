# compiles to the same code
def f(a, b):
    try: raise a(b)
    except: pass

    try: raise a(1)
    except KeyError: pass

    try: raise b
    except: return a
