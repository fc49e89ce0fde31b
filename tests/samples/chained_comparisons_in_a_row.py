def f(a, b, c):
    found = [x for x, y in c if 0 <= x < a and 0 <= y < b]
    for x in c:
        if 0 <= x + 1 < a and 0 <= b < x:
            found.append(x)
    return found
