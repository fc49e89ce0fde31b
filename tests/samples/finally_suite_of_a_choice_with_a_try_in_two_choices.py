def f(self, a):
    if not self.called:
        self.called = True
        try:
            if not self.closed:
                self.file.close()
        finally:
            if self.delete:
                try:
                    unlink(self.name)
                except NotFound:
                    pass
