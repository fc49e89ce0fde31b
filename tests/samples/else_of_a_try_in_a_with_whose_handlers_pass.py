# compiles to the same code
def f(self, b):
    with mock(self):
        try:
            create(self)
        except T:
            pass
        except O as exc:
            if b or exc.errno != b:
                raise
        else:
            self.fail(b)
