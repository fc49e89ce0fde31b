def f(lock, limbo, begin):
    try:
        begin()
    except Exception:
        with lock:
            del limbo[lock]
        raise
    limbo.wait()
