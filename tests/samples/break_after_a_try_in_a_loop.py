"""Each arm leaves the handler by itself (3.13 on), and goes on to one end, which alone is before the `break`."""


def f(rows, height, width):
    for row in rows:
        try:
            height = int(height)
        except ValueError:
            if width.a:
                height = 1
            elif width.b:
                height = 2
            elif width.c:
                height = 3
        break
    return int(height)
