# comes back as written since 3.11
def f(self):
    try:
        self.a()
    except OSError as exc:
        if exc.errno == 1 and self.b:
            pass
        else:
            raise
