# compiles to the same code since 3.11
# comes back as written since 3.11
def f(a, b):
    while a:
        if a < b < g(a):
            break
        h(a)
    else:
        g(a if b else h(a))
