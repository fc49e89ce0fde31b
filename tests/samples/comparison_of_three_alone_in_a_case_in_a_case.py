# compiles to the same code
match a:
    case [y, _]:
        match a:
            case [y, _]:
                a < b < c
x = 1
