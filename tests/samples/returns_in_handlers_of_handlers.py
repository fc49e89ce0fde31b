def f(self, tag, data):
    try:
        found = self[tag]
    except KeyError:
        if ":" not in tag:
            return
        try:
            found = self[tag.split(":")[-1]]
            if found:
                data(found)
                return
        except KeyError:
            return
    return found(self, data)
