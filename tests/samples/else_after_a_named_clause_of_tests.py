# comes back as written
"""The clause ends on the line of its last statement, in a block that its tests lead to as well: what follows is else."""


def f(rows, mode):
    try:
        found = rows.open(mode)
    except ValueError as error:
        if error.args[0] != 0:
            text = str(error)
            if mode not in text:
                rows.fail(text)
    else:
        found.close()
        rows.fail(mode)
