# comes back as written since 3.11
def f(self, name):
    if name is None:
        while True:
            name = g()
            try:
                self.fd = h(name)
            except OSError:
                continue
            self.name = name
            break
    else:
        self.name = 2
    g(3)
