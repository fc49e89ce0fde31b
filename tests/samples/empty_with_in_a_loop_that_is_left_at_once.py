for y in b:
    with b:
        pass
    break
else:
    raise E
x = 1
