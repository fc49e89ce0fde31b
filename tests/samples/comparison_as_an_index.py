def f(self):
    suffix = [".txt", ".html"][self.format == "html"]
    return suffix
