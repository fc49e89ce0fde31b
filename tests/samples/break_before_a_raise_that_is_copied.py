# comes back as written
def f(self):
    if self.a:
        for x in self.b:
            if x:
                self.c(x)
                break
    raise self.d()
