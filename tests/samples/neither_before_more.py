# comes back as written since 3.11
def f(a, b, c):
    while not (a or b) and c:
        a = a.next
