def f(self, file, read):
    try:
        with file("utf-8") as fp:
            read(fp)
    except UnicodeDecodeError:
        with file("locale") as fp:
            read(fp)
