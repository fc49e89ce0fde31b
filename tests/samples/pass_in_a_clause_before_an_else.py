# comes back as written since 3.11
def f(name):
    try:
        lock.acquire()
    except OSError:
        pass
    else:
        lock.release()
