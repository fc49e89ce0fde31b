# compiles to the same code
def f(self):
    with self.lock:
        if self.fd is None:
            return
        g(self)
