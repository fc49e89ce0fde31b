"""Of a module.

Not indented.
"""


def f(x):
    """Says what it does.

    More:
        indented.
    """
    return x


class C:
    """
    Of a class, \\ and "quotes".
    """

    def m(self):
        """Ends on its line.

        As here."""
        def g():
            """Of a function
            in it."""
        return g
