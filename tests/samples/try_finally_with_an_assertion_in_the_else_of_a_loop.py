# compiles to the same code
for y in b:
    if y:
        break
else:
    try:
        g(a)
    finally:
        assert a < b < c
x = 1
