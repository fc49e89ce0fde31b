# compiles to the same code
def f(node, parent):
    match parent := parent or node:
        case int() | float():
            return parent + 1
        case str():
            return parent
    return node
