# comes back as written since 3.11
def f(self, a):
    while True:
        try:
            x = self.read()
        except EOFError:
            x = 1
        except KeyboardInterrupt:
            x = 2
        except Exception as exc:
            a(exc)
            continue
        self.send(x)
        return x
