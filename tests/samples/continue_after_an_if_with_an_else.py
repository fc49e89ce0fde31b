# comes back as written
def f(self, result, found):
    while not self.end:
        current = self.get()
        if current == 1:
            if current in found:
                result.append(current)
            else:
                self.undo()
                result.append(self)
            continue
        if current == found:
            raise ValueError(current)
        result.append(current)
