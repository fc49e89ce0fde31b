# comes back as written
def f():
    return 1 - 2j, -1j, 2 + 3j, 1.5 + 2j, -1 - 2j, 2j
