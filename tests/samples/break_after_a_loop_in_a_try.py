# comes back as written since 3.11
def f(charset, charmap, tail):
    for op, av in charset:
        while True:
            try:
                if op is RANGE:
                    if fixup:
                        if not hascased:
                            hascased = any(r)
                    else:
                        for i in r:
                            charmap[i] = 1
                elif op is NEGATE:
                    out.append((op, av))
                else:
                    tail.append((op, av))
            except IndexError:
                if len(charmap) == 256:
                    charmap += b'0'
                    continue
                tail.append((op, av))
            break
    g(3)
