# comes back as written since 3.11
def f(self, create):
    if create:
        while True:
            temp = g(1)
            try:
                if h():
                    if temp is not None:
                        raise X
                    else:
                        continue
                self.mmap = m(temp)
            finally:
                close()
            self.name = temp
            break
    else:
        self.name = 3
    g(4)
