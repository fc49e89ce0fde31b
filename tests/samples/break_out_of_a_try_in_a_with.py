# compiles to the same code since 3.11
"""The `break` is a jump after the handlers, where the `with` ends: no `return`, though the function ends there too."""


def f(client, uses, path):
    if not path:
        return
    with client.open(path) as file:
        while True:
            try:
                answer = file.get()
                if answer.code != 503:
                    pass
                break
            except OSError as error:
                uses(error)


def alone(client, uses, path):
    if not path:
        return
    with client.open(path) as file:
        while True:
            try:
                file.get()
                break
            except OSError as error:
                uses(error)
