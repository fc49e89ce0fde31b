# compiles to the same code
# comes back as written since 3.11
def f(rows, a):
    for row in rows:
        if row == a:
            pass
        elif row:
            a.one(row)
        else:
            a.two()
    for row in rows:
        if row:
            continue
        elif a:
            a.one(row)
    for row in iter(lambda: a):
        pass
    for row in iter(lambda: a):
        continue
