# Choices in what is returned, of which the compiler copies the end after each


def constants_returned(a):
    return True if a else False


def one_of_three_constants(a, b):
    return 0 if a == b else 1 if a > b else -1


def call_or_none(a):
    b = a.c
    return b.strip() if b else None


def constant_at_the_end_of_an_arm(a, b):
    if not a:
        return b if b is not None else 1
    return max(b)


def after_a_local_in_a_tuple(a):
    b, c, d = a.partition(':')
    return b, (d if c else None)


def bound_of_a_slice(a, b):
    return a[: b.start() if b else None].strip()


def chosen_before_a_return(e1, e2, entry):
    entry.delay = e1.delay if e2.delay is None else e2.delay
    entry.rate = e1.rate if e2.rate is None else e2.rate
    return entry
