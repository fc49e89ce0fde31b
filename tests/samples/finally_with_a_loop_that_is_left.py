"""Where the cleanup ends, no statement says so: what leads there stands after the loop."""


def f(self):
    try:
        self.get()
        return True
    finally:
        cancelled = False
        while True:
            try:
                self.acquire()
                break
            except KeyError:
                cancelled = True
        if cancelled:
            raise ValueError
