# comes back as written
def f(self):
    with self.a:
        x = self.b
        if x is not None:
            return x
        if x:
            self.d()
        x = self.e()
        self.f()
        return x
