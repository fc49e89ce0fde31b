# compiles to the same code
"""The test cannot raise, and leads back to where the body of the `try` begins: it stands in it by its lines alone."""


def f(self):
    while True:
        try:
            item = self.pop()
        except IndexError:
            break
        if item is not None:
            item.cancel()
