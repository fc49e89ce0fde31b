# comes back as written
def f(context, flag, other):
    with context:
        if flag:
            if other:
                flag()
            return
        context = flag(other)
