# compiles to the same code
# comes back as written
def f(a, b):
    try:
        x
    except* b:
        y
    finally:
        x = a if b else c
