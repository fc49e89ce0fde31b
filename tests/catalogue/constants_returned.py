# returns of constants before copies of cleanups, which have the line of no instruction but a NOP


def constant_after_a_try_in_a_finally(a):
    try:
        f()
        try:
            g()
            return True
        except OSError:
            return False
    finally:
        if a:
            h(a)


def constants_before_a_finally(a):
    try:
        g()
        return True
    except OSError:
        return False
    finally:
        h(a)


def constants_before_a_finally_with_a_loop(a):
    try:
        g()
        return True
    except OSError:
        return False
    finally:
        for x in a:
            h(a)


def constant_after_a_try_before_a_finally(a):
    try:
        try:
            g()
        except OSError:
            return False
        return True
    finally:
        h(a)


def constant_in_an_else_before_a_finally(a):
    try:
        g()
    except OSError:
        return False
    else:
        return True
    finally:
        h(a)


def constant_after_the_inner_of_two_withs(a, b):
    with a:
        with b:
            f()
        return 1


def constant_in_two_withs(a, b):
    with a, b:
        f()
        return 1


def constant_after_a_with_in_a_finally(a, b):
    try:
        with a:
            with b:
                f()
            return 1
    finally:
        h()


def constants_in_both_ways_of_a_try_in_a_finally(a, b):
    with a:
        try:
            try:
                g()
            except E:
                return 1
            else:
                return 2
        finally:
            h()
        j()


def constants_around_a_with_in_a_try(a, b):
    with a:
        try:
            with b:
                f()
        except E:
            return False
        return True


def constant_after_withs_before_a_finally(a, b):
    try:
        with a, b:
            f()
        return 1
    finally:
        h()


def constant_after_a_with_in_a_finally_in_a_with(a, b):
    with a:
        try:
            with b:
                f()
            return 1
        finally:
            h()


def constants_after_a_with_in_a_try_in_a_with(a, b):
    with a:
        try:
            with b:
                f()
            return True
        except E:
            return False
