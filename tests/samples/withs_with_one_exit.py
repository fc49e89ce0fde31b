def f(self, b):
    with self.view(b) as view, view.cast("B") as byte_view:
        data = self.read(len(byte_view))
        byte_view[: len(data)] = data
    return len(data)
