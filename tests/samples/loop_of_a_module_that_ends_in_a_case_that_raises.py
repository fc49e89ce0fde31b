# compiles to the same code
while True:
    if a:
        break
    match a:
        case 1:
            g(1)
        case _:
            raise
