# comes back as written since 3.11
def f(self):
    try:
        try:
            return self.d()
        except E:
            self.c()
        return False
    finally:
        g()
