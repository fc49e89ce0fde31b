# comes back as written
def f(context, flag, other):
    with context:
        if flag:
            with other:
                flag()
            return
        context = flag(other)
