# comes back as written
def f(self):
    try:
        if self.a():
            return False
        if self.b:
            return False
        self.c()
    finally:
        self.d = 1
