def at_the_end(a):
    k()
    a and a.close()


def before_others(a):
    a or g()
    k(1, 2, 3, 4)
    return a


def in_a_loop(a):
    for x in a:
        x and x.close()


def at_the_end_of_a_loop_with_more(a):
    while a:
        if a.y:
            g()
        a.x and g()
    a.y or g()


def in_a_with(a):
    with a:
        a or g()


def in_a_try(a):
    try:
        a or g()
    except E:
        a and g()


def in_a_finally(a):
    try:
        k()
    finally:
        a and a.close()


def in_a_try_in_a_finally(a, z):
    try:
        g(a)
    finally:
        try:
            a or z
        except E as e:
            h(e)
    h(a)


def in_both_arms(a):
    if a:
        a.x and g()
    else:
        a.y or g()


def chosen(a):
    a.x if a else a.y
    return 5


def mixed(a, b, c):
    a and b or c
    k(1, 2, 3, 4)
    return a


def one_of_two(a, b, c):
    (a or b) if c else (a and c)
    while a:
        k()


def compared(a, b, c):
    a < b < c
    k(1, 2, 3, 4)
    return a


def compared_at_the_end(a, b, c):
    a < b < c


def compared_in_a_handler(a, b, c):
    try:
        g()
    except E:
        a < b < c
    return a


def named(a):
    (y := a) and y
    return y


def a_local(a):
    a
    k()
    return a


def locals_in_a_try(a, b):
    try:
        a
        b
    except NameError:
        return b
    k()
