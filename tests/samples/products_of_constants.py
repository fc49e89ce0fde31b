# comes back as written since 3.11
def f(x):
    print('-' * 70, 'xyxyxyxyxyxy', b'\x00' * 1024, b'abab' * 4)
    x += '=-' * 20
    y = (None,) * 16
    z = (0, 1) * 6
    return [' ' * 16, x, (1, 1, 1, 1, 1, 1), (-1, -1, -1, -1, -1, -1), y, (1, True, 1, True, 1, True), z]
