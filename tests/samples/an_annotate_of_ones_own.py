"""A method that goes by the name of what makes annotations from 3.14 on."""


def f():
    class C:
        a: int

        def __annotate__(format):
            return {"a": str}

    return C
