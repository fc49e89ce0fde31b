# compiles to the same code
try:
    g(a)
except E:
    try:
        h(a)
    except E:
        a < b < c
x = 1
