# compiles to the same code
def f(self, a):
    if a:
        try:
            d = self.d
        except A:
            return
        try:
            d(a)
        except K:
            g(a)
            raise E
    elif self:
        h(a)
