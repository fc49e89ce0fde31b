def f():
    return 1


squares = [i * i for i in range(3)]
i = {k: v for k, v in zip(squares, squares) if v}
total = sum(i for i in squares)


class C:
    n = 3
    row = [i for i in range(n)]
    table = {i: [j for j in range(i)] for i in row if i}
    names = {n for n in row}
    made = [lambda: k for k in row]
    text = ', '.join(str(i) for i in row)


def shares_a_name_with_a_cell(items, bases):
    for base in items:
        if not any(base > item for item in items):
            return [base + 1 for base in bases]


def captures_the_items(items):
    return [[lambda: (a, b) for b in a] for a in items]
