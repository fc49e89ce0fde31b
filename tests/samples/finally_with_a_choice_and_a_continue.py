# compiles to the same code
"""The suite stands there for each way out, and the copy before the `continue` asks the opposite (3.12 on)."""


def f(rows, lock):
    for row in rows:
        try:
            use(row)
        except KeyError as error:
            log(error)
            continue
        finally:
            if lock is not None:
                lock.release()
