"""Of the first cases only that the subject is on the stack shows what they are, and all but one bind nothing."""


def f(self, expr, stride):
    match expr:
        case _ if self.equals(stride, 1):
            return 1
        case _ if self.equals(stride, 0):
            return 2
        case x.Add():
            return 3
    return 4
