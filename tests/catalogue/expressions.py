# operators, calls, displays and everything else inside one statement


def arithmetic(a, b):
    return (a + b) * a - b / a // b % a ** b @ a


def bits(a, b):
    return a << b | a >> b & ~a ^ b


def unary(a):
    return (-a, +a, ~a, not a)


def power_of_negative(a, b):
    return (-a) ** (-b)


def left_and_right(a, b, c):
    return (a - (b - c), a - b - c, a ** b ** c, (a ** b) ** c)


def comparisons(a, b):
    return (a < b, a <= b, a == b, a != b, a > b, a >= b)


def membership(a, b):
    return (a in b, a not in b, a is b, a is not b)


def chained(a, b, c):
    return a < b < c


def chained_long(a, b, c, d):
    return a < b <= c != d


def chained_of_calls(a, b, c):
    return g(a) < g(b) < g(c)


def chained_argument(a, b, c):
    return g(a < b < c, a)


def and_value(a, b):
    return a and b


def or_value(a, b, c):
    return a or b or c


def mixed_value(a, b, c, d):
    return a and b or (c and d)


def mixed_value_inside(a, b, c):
    return a and (b or c)


def not_and(a, b):
    return not (a and b)


def or_argument(a, b):
    return g(a or b, b and a)


def ternary(a, b):
    return a if b else g(a)


def ternary_in_ternary(a, b, c):
    return a if b else b if c else g(a)


def ternary_argument(a, b):
    return g(a if b else b, c=a)


def ternary_of_and(a, b, c):
    x = a if b and c else c
    return x


def ternary_of_or(a, b, c):
    x = a if b or c else c
    return x


def walrus(a):
    return (x := g(a)) + x


def walrus_condition(a):
    return x if (x := g(a)) else a


def walrus_argument(a):
    g(x := a, x)
    return x


def calls(a, b):
    return g()(a)(b, a, x=a, y=b)


def call_star(a, b):
    return g(*a, **b)


def call_star_mixed(a, b):
    return g(a, *b, a, *a, x=b, **a, **b)


def call_keywords_only(a):
    return g(x=a, y=a)


def method(a, b):
    return a.b.c(b).d(x=b)


def method_star(a, b):
    return a.b(*b)


def attribute_chain(a):
    return a.b.c.d


def subscripts(a, b):
    return a[b][0]['k'][b, 1]


def slices(a, b, c):
    return (a[b:c], a[:c], a[b:], a[:], a[b:c:2], a[::b], a[b:c, 1])


def tuples(a, b):
    return ((), (a,), (a, b), ((a,), b))


def lists(a, b):
    return [[], [a], [a, [b]]]


def sets(a, b):
    return {a, b}


def dicts(a, b):
    return {'x': a, b: a, **a, 'y': {}}


def dict_of_constants(a):
    return {'x': a, 'y': a, 'z': a}


def list_star(a, b):
    return [a, *b, a]


def tuple_star(a, b):
    return (*a, *b)


def set_star(a, b):
    return {*a, b}


def constant_list():
    return [1, 2, 3]


def constant_list_mutated(a):
    x = [1, 2, 3]
    x.append(a)
    return x


def constant_set():
    return {1, 2, 3}


def in_constant_set(a):
    return a in {1, 2, 3}


def in_constant_list(a):
    return a in (1, 2, 3)


def formatted(a, b):
    return f'{a}'


def formatted_mixed(a, b):
    return f'<{a!r}|{b:>10}|{a!s:{b}}|{{}}>'


def formatted_nested(a, b):
    return f"{a:{b}.{a}}{g(f'{a}-{b}')}"


def formatted_ascii(a):
    return f'{a!a} {a + 1}'


def formatted_specs(a, b):
    return f'{a:x}{b:%Y-%m-%d}'


def percent(a, b):
    return '%s and %d' % (a, b)


def lambda_simple(a):
    return lambda x: x + 1


def lambda_closure(a):
    return lambda x, *y, z=a, **k: g(x, a, *y, z=z, **k)


def lambda_in_lambda(a):
    return lambda x: lambda y: (x, y, a)


def lambda_no_arguments():
    return lambda: None


def lambda_with_condition(a):
    return lambda x: a if x else x


def lambda_argument(a):
    return sorted(a, key=lambda x: x.y)


def super_call(self):
    return g(self).__init__()


def string_join(a):
    return ', '.join(str(x) for x in a)


def ellipsis_index(a):
    return a[..., 1]


def long_call(a):
    return g(a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a)


def nested_calls(a):
    return g(h(k(a), k(a)), h(k(a)))


def builtins_called(a):
    return len(a) + max(a, key=abs)


def keywords_computed(a, b):
    return g(**{a: b}, **{'x': a}, **a)


def choice_of_what_is_there(a, b):
    x = a if a is not None else b
    g(x, a)
    g(x, b)
    return x


def choice_of_what_is_not_true(a, b):
    x = a if not b else g(a)
    g(x, a)
    g(x, b)
    return x
