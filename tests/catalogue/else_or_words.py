# what stands in an else suite, and what after clauses that end in a word


def return_before_a_try(f, g):
    try:
        a = f()
    except ValueError:
        return
    try:
        g(a)
    except:
        g()


def else_with_a_try(f, g):
    try:
        a = f()
    except ValueError:
        pass
    else:
        try:
            g(a)
        except:
            g()


def return_before_a_with(f, g):
    try:
        a = f()
    except ValueError:
        return
    with a:
        g(a)


def else_with_a_with(f, g):
    try:
        a = f()
    except ValueError:
        pass
    else:
        with a:
            g(a)


def continue_before_a_test(xs, f):
    for x in xs:
        try:
            a = f(x)
        except ValueError:
            continue
        if a:
            return a
    f()


def else_with_a_test(xs, f):
    for x in xs:
        try:
            a = f(x)
        except ValueError:
            pass
        else:
            if a:
                f(a)


def continue_before_tests(xs, f):
    for x in xs:
        try:
            a = f(x)
        except ValueError:
            continue
        if not a:
            continue
        if x:
            f(a)


def else_after_what_a_clause_does(f, g):
    try:
        a = f()
    except ValueError:
        g()
    else:
        g(a)


def return_after_what_a_clause_does(f, g):
    try:
        a = f()
    except ValueError:
        g()
        return
    g(a)


def else_after_a_with_in_a_clause(f, g):
    try:
        a = f()
    except ValueError:
        with g:
            f()
    else:
        g(a)
