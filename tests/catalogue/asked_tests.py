# Tests of identity and membership, and their opposites


def identity_of_four(self, a, b, c):
    if a is b is c is None:
        return 1
    return 2


def identity_after_and(self, a, b):
    if self.f is not None and a is b is None:
        return 1
    return 2


def identity_and_none(self, a, b):
    assert a is None is b
    while a < b is not None:
        a = b()
    return a is b is None


def neither_none_nor_an_instance(x, y):
    if not (x is None or isinstance(x, y)):
        raise TypeError
    return 3


def not_both_identities(f, m):
    if not (f.a is m and f.b is m):
        f.x = True
    elif m:
        return f


def asserted_alternatives(a, b, c):
    assert a is b or (a is None and c)
    assert isinstance(a, int) and (a >= 0 or a in (b, c))
    a.f()


def not_one_of_two_pairs(a, b, c):
    if not (a in (1, 2) and b in c or (a in c and b == 'POST')):
        raise KeyError


def not_one_of_three(a, b, c):
    if not (a in (1, 2) or (b in c and a in b) or (isinstance(a, b) and a.c)):
        raise KeyError


def negated_comparisons(a, b):
    if a is not None or b is not None:
        return 3
    if a not in b and b not in a:
        return 4
    while a is not b and b not in a:
        b.f()


def absence_in_other_words(xs, x):
    if not x in xs:
        xs.append(x)


def absence(xs, x):
    if x not in xs:
        xs.append(x)


def absence_in_a_loop(xs, seen):
    for x in xs:
        if not x in seen:
            seen.add(x)
        if not x is seen:
            xs.add(x)


def absence_in_a_comprehension(xs, seen):
    return [x for x in xs if x not in seen]


def choice_asked_with_none(fields, f):
    if f.compare if f.hash is None else f.hash:
        f()
    return [f for f in fields if (f.compare if f.hash is None else f.hash)]
