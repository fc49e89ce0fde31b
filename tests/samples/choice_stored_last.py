# compiles to the same code
# comes back as written since 3.11
def f(self, options):
    self.name = options.name
    self.options = options if options is not None else {}
