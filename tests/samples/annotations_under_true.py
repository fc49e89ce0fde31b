# compiles to the same code
"""From 3.14 on, a class tells annotations in compound statements apart, though nothing is left of `if True:`."""


class W:
    a: int
    if True:
        e: int = 1
    b: str = ""


class InALoop:
    while True:
        e: int = 1
        break


class InATry:
    a: int
    try:
        e: int
    finally:
        pass
