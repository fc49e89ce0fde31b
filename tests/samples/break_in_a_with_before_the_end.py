# comes back as written since 3.11
def f(self, q):
    while True:
        with lock:
            if not q:
                break
            time = q[0]
            now = timefunc()
            if time > now:
                delay = True
            else:
                delay = False
        if delay:
            g(1)
