# comprehensions of all kinds


def of_list(a):
    return [x for x in a]


def of_set(a):
    return {x for x in a}


def of_dict(a):
    return {x: y for x, y in a}


def of_generator(a):
    return (x for x in a)


def with_value(a, b):
    return [g(x, b) for x in a]


def with_if(a):
    return [x for x in a if x]


def with_and(a, b):
    return [x for x in a if x and b]


def with_or(a, b):
    return [x for x in a if x or b]


def with_not(a):
    return [x for x in a if not x]


def two_loops(a):
    return [x + y for x in a for y in x]


def two_loops_with_ifs(a, b):
    return [x + y for x in a if x for y in b if y > x]


def nested(a):
    return [[y for y in x] for x in a]


def nested_source(a):
    return [x for x in [y for y in a if y] if x]


def with_ternary(a):
    return [x if x else 0 for x in a]


def with_lambda(a):
    return [lambda: x for x in a]


def with_lambda_default(a):
    return [lambda y=x: y for x in a]


def with_walrus(a):
    return [y for x in a if (y := g(x))]


def with_unpacking(a):
    return [x for x, *y in a]


def with_attribute_target(a, b):
    return [b.x for b.x in a]


def dict_with_if(a):
    return {x: g(x) for x in a if x}


def dict_of_pairs(a):
    return {str(k): [v] for k, v in a.items()}


def set_with_loops(a):
    return {x for y in a for x in y}


def generator_argument(a):
    return sum((x for x in a))


def generator_argument_of_two(a):
    return sum((x for x in a), 1)


def generator_with_closure(a, b):
    return list((x + b for x in a if x in b))


def any_of(a):
    return any((x > 1 for x in a))


def in_loop(a):
    for x in a:
        g([y for y in x])


def in_condition(a):
    if [x for x in a]:
        return 1
    return 2


def in_try(a):
    try:
        return [x for x in a]
    except KeyError:
        return []


def in_with(a):
    with a:
        x = [y for y in a]
    return x


def two_in_one_statement(a, b):
    return [x for x in a] + [x for x in b]


def same_name_outside(a, x):
    y = [x for x in a]
    return (x, y)


def comparison_chain(a):
    return [x for x in a if 0 < x < 10]


def over_a_slice(a):
    return [x for x in a[1:]]


def over_a_tuple(a, b):
    return [x for x in (a, b)]


def single_element(a):
    return [y for x in a for y in [g(x)]]


def of_strings(a):
    return [f'{x}' for x in a]


def of_conditions(a, b):
    return [x for x in a if x.y is not None and (not x.z or b)]


def called(a):
    return [x for x in a].pop()


def with_yielded_inside(a):
    return {x: [z for z in y] for x, y in a}


def over_one_value_each(x):
    return {k: v for a in x if a for k, v in [g(a)] if k for z in [k.q] if z.x(k) for y in z}


def test_on_a_line_of_its_own(a):
    return [
        b
        for b in a
        if b.c
    ]  # fmt: skip


def test_on_a_line_of_its_own_in_a_generator(a, c):
    return c(
        b.e
        for b in a
        if b.c and b.d
    )  # fmt: skip


def asked_for_nothing(n, f):
    return [x for x in n if f(x) or True], {x for x in n if x if -x or True}


def variable_that_goes_by_the_name_of_a_free_one(x):

    def g():
        return [x for x in x.y], x

    def h():
        return [lambda: x for x in x.y]

    def k():
        nonlocal y
        return [(lambda: x, y := 5) for x in x.y], x
    y = 1
    return g, h, k, y
