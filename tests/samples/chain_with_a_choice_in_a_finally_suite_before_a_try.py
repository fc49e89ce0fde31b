# comes back as written
def f(a, b, c):
    try:
        try:
            with a, a as y:
                return
        finally:
            if a < (y if b else c) <= c:
                y = a
        try:
            x += a
        finally:
            y = a
    except OSError:
        try:
            y = c
        except a:
            return
        except OSError as e:
            y = a
