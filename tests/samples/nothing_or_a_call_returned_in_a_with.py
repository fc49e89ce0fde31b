# compiles to the same code
def f(self):
    with self.l:
        if self.c:
            return
        return self.d()
