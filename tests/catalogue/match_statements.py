# py>=3.10
# `match`, every kind of pattern


def values(a):
    match a:
        case 1:
            return 'one'
        case 'x' | 'y':
            return 'letter'
        case None:
            return 'none'
        case _:
            return 'other'


def sequences(a):
    match a:
        case [x, y]:
            return x + y
        case [x, *rest]:
            return rest
        case []:
            return None


def mappings(a):
    match a:
        case {'k': v, **rest}:
            return (v, rest)


def classes(a):
    match a:
        case int(x) if x > 1:
            return x
        case C(x, y=2) as z:
            return z


def alternatives_in_parts(a):
    match a:
        case [1 | 2, x, *_]:
            return x
        case {'k': v, 'm': C(z, q=3), **rest} if v:
            return (v, rest)
        case [A.b, [c, d] as e, *r]:
            return r
        case [1, w] | [w, 1]:
            return w


def in_a_loop(a, b):
    for i in a:
        match (i, b):
            case [0, x] if x and b or c:
                print(x)
            case [[_, _], [_, *_]]:
                pass
            case {**r}:
                break
            case [*_, 3, _]:
                pass
            case x if x:
                z(x)
            case str() | bytes() as s:
                pass
            case y:
                foo(y)
    return 4


def everything_first(a):
    match a:
        case x if g(x):
            return 1
        case [{'a': 1 | 2 as q, **kw}, -1.5 | 3j | b'x' as r, *_, [_, [[2, y], _]]]:
            return kw
        case Cls.inner.K(a=1, b=[*xs]):
            return xs
        case _:
            return 2


def nested(a, b):
    match a.x:
        case 1:
            match b:
                case [p]:
                    return p
                case 2 | 3:
                    b = 5
        case 2 | 3 if b:
            raise b
        case None:
            a += 1
    return a


def of_cells(a):
    def inner():
        return q
    match a:
        case {'x': [q, *r]} | [q, *r]:
            return (inner, r)
        case str(q) | bytes(q) if q:
            r = 1
        case True | False:
            r = 2
        case []:
            r = 4
        case {}:
            r = 5
        case _:
            return
    return r


def names_for_the_same(a):
    match a:
        case ([b as c, d] as e) as f:
            return g(b, c, d, e, f)
        case 0 if 0:
            pass
        case (0 | 1) | 2:
            return 3


def mapping_inside_with(f, x):
    with f:
        match x:
            case {f.key: y, 'a': z}:
                x = y, z
    return x


def last_alternative_asks_nothing(a):
    match a:
        case [x] | x:
            return x


def alternatives_of_which_the_last_asks_nothing(a):
    match a:
        case 1:
            print('one')
        case [x, 0] | [0, x] | x:
            print(x)


def part_whose_last_alternative_asks_nothing(a):
    match a:
        case [[x] | x, y]:
            print(x, y)
        case _:
            print('other')
    return a


def alternatives_at_the_end_of_a_sequence(t):
    match t:
        case (None | A(B.c), A(d='lazy'), A(d='import') | A(d='from')):
            return True
        case _:
            return False


def alternatives_in_alternatives_at_the_end(t):
    match t:
        case [A() | B(2 | 3), C() | D(5 | 6)]:
            return True
        case _:
            return False


def alternatives_in_all_alternatives(t):
    match t:
        case (None | A(B.c) | A(d=':'), A(B.e | B.f) | A(B.g, d='(' | '*')):
            return True
        case _:
            return False


def alternatives_in_the_last_alternative(t):
    match t:
        case A(B.c) | A(d=':' | ';'):
            return True
        case _:
            return False


def alternatives_of_classes_at_the_end(t):
    match t:
        case [str() | bytes()]:
            return True


def alternatives_that_bind_at_the_end(t):
    match t:
        case [str(x) | bytes(x)]:
            return x


def alternatives_before_a_call(t):
    match t:
        case [None | int(), str() | bytes()]:
            return t()


def alternatives_before_what_is_bound(t):
    match t:
        case C(k=0.5 | -2, l=x):
            return 5


def alternatives_with_a_name_before_a_raise(t):
    match t:
        case C(k=(7 | 8 | B()) as x):
            raise E


def match_in_a_finally(a):
    try:
        g()
    finally:
        match a:
            case [x, *_]:
                g(x)


def match_in_a_finally_that_returns(a):
    try:
        return g()
    finally:
        match a:
            case C(p=str() | [], q=x):
                g(x)
            case 3:
                return 4
        g(a)


def match_in_a_finally_after_a_handler(a):
    try:
        g(a)
    except KeyError:
        return a
    finally:
        match a:
            case [0 | 1, *_]:
                raise E
            case _:
                g(a)


def match_in_a_finally_that_raises(a):
    try:
        g(a)
    finally:
        match a:
            case [y, _]:
                raise E(a)


def cases_that_leave(a):
    match a:
        case [y, _]:
            return g(1)
    match a:
        case [y]:
            return g(1)
        case [y, _]:
            raise E
    k()
    return x


def a_last_case_that_leaves(a):
    match a:
        case [y, _]:
            g(1)
        case _:
            return g(a)
    match a:
        case [y]:
            g(1)
        case [y, _]:
            g(1)
        case _:
            return g(a)
    k()
    return x


def a_case_that_continues(b):
    for a in b:
        match a:
            case [y, _]:
                continue
        match a:
            case {'k': z}:
                continue
        k()


def an_if_in_the_last_case(a):
    match a:
        case [y, _] if y:
            raise E(a)
        case [z]:
            if z:
                k()
    return a


def an_if_in_the_only_case(a):
    match a:
        case [1]:
            if a.b and a.c:
                return 6
    k()
    return a


def a_guard_in_the_only_case(a):
    match a:
        case [1] if a.b:
            return 6
    k()
    return a
