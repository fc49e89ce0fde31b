# py>=3.11
# `except*`


def one(a):
    try:
        g(a)
    except* KeyError:
        h(a)


def two(a):
    try:
        g(a)
    except* KeyError as e:
        h(e)
    except* (ValueError, OSError):
        k()
    return a


def with_else_and_finally(a):
    try:
        try:
            g(a)
        except* KeyError:
            raise
        except* a.x(1) as e:
            raise ValueError from e
        else:
            z()
    finally:
        w()


def in_a_loop_and_in_itself(a):
    for x in a:
        try:
            if h(a):
                break
            return 5
        except* KeyError as e:
            try:
                g(a)
            except* OSError as e:
                if e:
                    raise
                raise e
            except* ValueError as f:
                with f:
                    pass
            for y in e:
                if y:
                    break


def of_a_name_that_a_function_uses(a):
    try:
        g(a)
    except* KeyError as e:
        return_later(lambda: e)
    return a


def inside_with(f, g):
    with f:
        try:
            g()
        except* ValueError:
            pass


def named_clauses_inside_try(f, g):
    try:
        try:
            g()
        except* TypeError as e:
            raise
        except* ValueError as e:
            raise
    except ExceptionGroup as e:
        f(e)


def whose_suites_raise(a, b, c):
    try:
        raise a from b
    except* ValueError as e:
        raise b from c
    g(a, b)


def pass_in_a_clause_in_a_loop(a, b):
    for y in b:
        try:
            g(a)
        except* KeyError:
            if not a or y:
                pass
            else:
                h(y)


def choice_stored_in_a_finally(a, b):
    try:
        x
    except* b:
        y
    finally:
        x = a if b else c
