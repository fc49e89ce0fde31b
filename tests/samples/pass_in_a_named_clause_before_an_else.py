# comes back as written since 3.11
def f(name):
    try:
        lock.acquire()
    except OSError as e:
        pass
    else:
        lock.release()
