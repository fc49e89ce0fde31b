# comes back as written
"""The inner handler is left on the line of its `pass`, before a copy of the unbinding, and goes on like the rest."""


def f(call, observe, send):
    try:
        result = call()
    except Exception as error:
        result = error
        if observe is not None:
            try:
                observe(error)
            except Exception:
                pass
    send(result)


def within_a_with(call, observe):
    with observe:
        try:
            call()
        except Exception as error:
            if observe.wants(error):
                try:
                    observe(error)
                except Exception:
                    pass
