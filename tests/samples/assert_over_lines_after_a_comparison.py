# comes back as written
"""The second of three operands is dropped on a line below that of the `raise` (3.13 on): no `return` is left there."""


def f(rows, live, width):
    count(rows)
    assert (
        rows.ready > 0
        and 0 < live.low <= width.high
    )
    return live
