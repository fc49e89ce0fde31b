def f(file, tests):
    h = None
    try:
        if file:
            h = file.open()
        for t in tests:
            found = t(h)
            if found:
                return found
    finally:
        if h:
            h.close()
    return None
