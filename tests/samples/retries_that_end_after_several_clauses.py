# comes back as written since 3.11
def f(self, a):
    while True:
        try:
            x = self.read()
        except EOFError:
            x = 1
        except Exception:
            a(3)
            continue
        self.send(x)
        break
