def f():
    return -1j
