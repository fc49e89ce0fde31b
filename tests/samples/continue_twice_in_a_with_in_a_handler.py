# comes back as written
"""Each leaves the handler on its own line, before its own copy of what leaves the `with` (3.11 on)."""


def f(db):
    while True:
        with start(db) as t:
            try:
                use(t)
            except KeyError as error:
                if error.first:
                    a()
                    continue
                if error.second:
                    b()
                    continue
                c()
            t.clear()
