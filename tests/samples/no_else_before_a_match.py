# compiles to the same code
# comes back as written
"""What is matched has the place of the first pattern, as it is copied for that."""


def f(key, a):
    if key in a:
        return a[key]
    match key:
        case "one":
            raise KeyError
        case "two":
            return a.two
    raise ValueError(key)
