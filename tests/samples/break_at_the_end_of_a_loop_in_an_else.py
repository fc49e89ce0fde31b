# comes back as written
"""A loop that ends in `break` leads to what is after the loop around, whose `else` it ends; its own goes on with that."""


def f(rows):
    for row in rows:
        for name in names:
            break
        else:
            for part in parts:
                if row:
                    use(row)
                break
            else:
                if part:
                    continue
                if name:
                    use(part)
                skip()
        count(row)
