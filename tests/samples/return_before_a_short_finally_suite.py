# comes back as written
def f(self):
    try:
        if self.a():
            return
        if self.b:
            self.c()
    finally:
        self.d = 1
