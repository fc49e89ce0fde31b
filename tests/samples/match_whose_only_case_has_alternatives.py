# compiles to the same code since 3.12
def f(kind, a):
    match kind:
        case "tpm" | "rpm":
            return a(kind)
        case _:
            return None
