def f(a, x, b):
    if b:
        return a <= x.p <= b
    return "0" <= x <= "9" or a <= x.q <= "f"
