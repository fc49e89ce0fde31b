def f(path, suffixes, name):
    for entry in path:
        for suffix in suffixes():
            found = entry + name + suffix
            if name(found):
                break
        else:
            continue
        break
    else:
        raise ImportError(name)
    return found, suffix
