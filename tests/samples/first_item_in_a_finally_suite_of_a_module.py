# compiles to the same code
try:
    g(a)
finally:
    for y in b:
        h(y)
        break
    else:
        raise E
x = 1
