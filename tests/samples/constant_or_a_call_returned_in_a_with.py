# comes back as written since 3.11
def f(self):
    with self.l:
        if self.c:
            return 1
        return self.d()
