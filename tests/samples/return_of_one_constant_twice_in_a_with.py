# comes back as written
def f(self):
    with self.c:
        r = self.a()
        if r is False:
            return False
        self.x = True
        r = self.b()
        if r is False:
            self.x = False
            return False
        self.y = True
        return True
