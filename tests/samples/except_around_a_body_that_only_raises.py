def f(pending, details):
    if pending:
        try:
            kept = details[1].context
            raise details[1]
        except BaseException:
            details[1].context = kept
            raise
    return details
