def f(bases):
    for chain in bases:
        for base in chain:
            if base is object:
                continue
            elif base.a:
                return base.b
            elif "r" in base.c:
                return base.c["r"]
    return None
