# compiles to the same code
# comes back as written since 3.11
def f(a, b):
    try:
        try:
            a.one()
        except ValueError:
            b.one()
        else:
            b.two()
    finally:
        a.close()
    try:
        a.one()
    except ValueError as error:
        b.one(error)
        raise
    else:
        b.two()
    finally:
        a.close()
    return b
