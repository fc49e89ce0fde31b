"""What follows a `with` is reached by what it swallows as well; this return is not."""


def f(self, size):
    with self.lock:
        if size:
            try:
                g()
            except BlockingIOError as error:
                if self.full:
                    raise KeyError(error)
        return size
