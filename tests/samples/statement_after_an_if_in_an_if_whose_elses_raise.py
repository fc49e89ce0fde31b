# comes back as written since 3.11
def f(self):
    if self.a:
        if self.b:
            self.c()
            for x in self.d:
                self.e(x)
        else:
            raise E(1)
    else:
        raise E(2)
    self.g()
