def f(x):
    if x.returncode is None:
        try:
            x.kill()
        except ProcessLookupError:
            pass
        except OSError:
            if x.wait() is None:
                raise
