"""Up to 3.11 what jumps has the line on which the whole expression begins, and a comparison its own."""


def f(y, a, b):
    kept = {
        k: v
        for k, v in y.items()
        if (k >= a if b else k <= a)
    }
    if (
        a
        and (a in kept if b else y)
    ):
        return [
            "first"
            if i >= a
            and (bool(y[i]) if isinstance(y, (list, tuple)) else i % 2 == 0)
            else "second"
            for i in kept
        ]
    return kept
