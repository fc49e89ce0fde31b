# comes back as written
def f(a, b):
    try:
        return a or b
    finally:
        return not a
