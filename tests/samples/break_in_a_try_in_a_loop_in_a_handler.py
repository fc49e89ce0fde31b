# compiles to the same code
def f(path):
    try:
        importer = path[0]
    except KeyError:
        for hook in path:
            try:
                importer = hook(path)
                break
            except ImportError:
                pass
        else:
            importer = None
    return importer
