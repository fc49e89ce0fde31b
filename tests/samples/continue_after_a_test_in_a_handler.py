# comes back as written
"""What is between the test and the jump has no line of its own from 3.14 on: the `continue` has."""


def f(attempts, fallback):
    for attempt in attempts:
        try:
            prefix = first(attempt)
        except TypeError:
            if fallback is None:
                continue
            try:
                prefix = second(fallback)
            except ValueError:
                continue
        return use(prefix)
    raise KeyError(fallback)
