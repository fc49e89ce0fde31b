"""Without `continue` they would jump to the end of the loop, which jumps back."""
# compiles to the same code


def f(call, found):
    while True:
        try:
            found.append(call())
        except KeyError:
            continue
        except IndexError:
            break
    return found
