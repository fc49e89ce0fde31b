"""Both say the same of a variable that is True or False: the verifier may not take one for true and the other not."""


def f(rows, wanted, found, missing):
    for row in rows:
        is_wanted = False
        for other in wanted:
            is_wanted = True
        (
            first,
            second,
            third,
        ) = ([], [], [])
        if is_wanted is True:
            row.group = (
                found if is_wanted else missing
            )
