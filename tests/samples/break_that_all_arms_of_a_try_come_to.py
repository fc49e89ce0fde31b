# comes back as written since 3.11
def f(charset, charmap, tail):
    for op, av in charset:
        while True:
            try:
                if op is LITERAL:
                    if fixup:
                        charmap[av] = 1
                        if not hascased and iscased(av):
                            hascased = True
                    else:
                        charmap[av] = 1
                elif op is RANGE:
                    g(2)
                else:
                    tail.append((op, av))
            except IndexError:
                if len(charmap) == 256:
                    charmap += b'0'
                    continue
                tail.append((op, av))
            break
    g(3)
