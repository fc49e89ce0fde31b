# comes back as written since 3.11
def f(candidates):
    global c
    for candidate in candidates:
        try:
            with open(candidate) as f:
                c = parse(f)
            break
        except OSError as e:
            errno = e
    else:
        raise X
