def f(self):
    info = self.get()
    thing = info and info.ref()
    if thing is not None:
        return thing, info.func, info.args, info.kwargs or {}
