# comes back as written since 3.11
def f(self):
    with self.x:
        try:
            return self.d()
        except E:
            self.c()
        return False
