# comes back as written since 3.11
def f(self):
    try:
        self.a()
        if self.b:
            self.c()
            return
        self.d()
        self.e()
    except (K, S):
        self.h()
    finally:
        self.d()
        if self.x:
            self.e()
