# compiles to the same code
def f(a, b):
    if a == 1:
        return (1 if b else 2) * 3
    if a == 2:
        return ("ab" if b else "c") * 3 + "x"
    if a == 3:
        return -(1.5 if b else 2.5) * 3 - 1
    if a == 4:
        return (5 if b else 2 if a else 3) // 2 << 3
    if a == 5:
        return ("ab" if b else "cd")[1]
    if a == 6:
        return ((1, 2) if b else (3, 4))[0] ** 2
    if a == 7:
        return a + (0.0 if b else 3.0) * -1
    return ((1, 2) if b else (3, 4)) + (5,)
