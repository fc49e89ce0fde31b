"""The return is copied after the `break`, as it is to where the loop comes to its end."""
# compiles to the same code


def f(names, lookup, parse):
    for name in names:
        found = lookup(name)
        if found:
            if name == 1:
                found = found.split(":")[0]
            break
    else:
        found = "C"
    return parse(found)
