# comes back as written since 3.11
def f(handlers):
    for wr in handlers:
        try:
            h = wr()
            if h:
                try:
                    h.acquire()
                    h.flush()
                except (OSError, ValueError):
                    pass
                finally:
                    h.release()
        except:
            if raiseExceptions:
                raise
