# compiles to the same code
def f(self, a, b):
    try:
        with a as fr, b as fw:
            self
        return self.x
    except BaseException:
        raise
