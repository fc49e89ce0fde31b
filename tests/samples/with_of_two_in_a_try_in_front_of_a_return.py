def f(self, a, b):
    try:
        with a as fr, b as fw:
            self
        return self.x
    except BaseException:
        raise
