# compiles to the same code
"""From 3.14 on the loop of the copy is come back to by way of what unbinds the exception."""


def f(self, stack):
    try:
        while stack:
            self.step(stack)
    finally:
        while stack:
            item = stack.pop()
            if item is not self:
                continue
            try:
                self.close(item)
            except OSError as error:
                self.report(error)
