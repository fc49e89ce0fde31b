# compiles to the same code
def f(self):
    with self.open() as result:
        while result.read():
            pass
