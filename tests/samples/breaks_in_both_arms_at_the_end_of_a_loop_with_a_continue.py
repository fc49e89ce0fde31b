def f(xs, a, b):
    found = rest = 0
    for x in xs:
        if not x:
            found = 15
            break
        if x > a:
            found = 15
            if b:
                if x > 4:
                    found = x
                    if found > 15 or found < 9:
                        found = 0
                        continue
                if x > 1:
                    rest = True
                break
            else:
                if x > 6:
                    found = x
                    if found > 15 or found < 9:
                        raise ValueError("size")
                if x > 2:
                    rest = True
                break
        elif not b:
            raise ValueError(x)
    return found, rest
