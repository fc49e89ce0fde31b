# comes back as written since 3.11
def f(self, x):
    if x:
        g(1)
        while frame:
            frame.a = x
            if frame is self.b:
                break
            frame = frame.c
