# comes back as written since 3.11
def f(self, n):
    while n:
        if a:
            if b:
                break
            n += 1
        elif not (read1 and written):
            if not self.peek(1):
                break
        if c:
            break
    return n
