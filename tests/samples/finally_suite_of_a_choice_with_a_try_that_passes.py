def f(self, a):
    try:
        g(a)
    finally:
        if self.p and self.q:
            try:
                import r

                r.s(self.t)
            except ImportError:
                pass
