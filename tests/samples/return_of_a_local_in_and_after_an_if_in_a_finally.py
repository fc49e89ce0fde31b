# comes back as written
def f(self):
    try:
        if self.a():
            return self
        if self.b:
            self.c()
        return self
    finally:
        self.d()
