"""After the exit of a `with`, two returns have the line of the `with`, as copies of one would."""


def f(compiler, source):
    with compiler.warnings():
        compiler.filter(source)
        try:
            compiler(source)
        except ValueError:
            try:
                compiler(source + 1)
                return
            except KeyError as error:
                return
            except OSError as error:
                pass
    return compiler(source, last=True)
