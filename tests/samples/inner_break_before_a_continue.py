# comes back as written since 3.11
def f(i, n):
    while i < n:
        ch = str[i]
        i = i + 1
        if ch == 'x':
            g(1)
            while i < n:
                if g(2):
                    if level == 0:
                        push(lno)
                    break
                i = i + 1
            continue
        if ch == '#':
            g(4)
    g(3)
