"""On 3.13 the jump that tests a comparison lies outside the ranges of the table."""


def f(kinds, fast):
    try:
        for kind in kinds:
            if kind.lower() == "type" and fast:
                pass
    except ValueError as error:
        pass
