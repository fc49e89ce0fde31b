# `if` that control leaves by return, raise, break or continue


def if_return_last(a, b, c):
    if a:
        return g(a)
    return h(b)


def if_return_in_loop(a, b, c):
    for w in c:
        if a:
            return g(a)
        return h(b)


def if_return_in_try(a, b, c):
    try:
        if a:
            return g(a)
        return h(b)
    except OSError:
        return z(a)


def if_return_in_finally(a, b, c):
    try:
        z(a)
    finally:
        if a:
            return g(a)
        return h(b)


def if_return_in_with(a, b, c):
    with z(c):
        if a:
            return g(a)
        return h(b)


def if_return_in_if(a, b, c):
    if z(c):
        if a:
            return g(a)
        return h(b)
    z(b)
    return a


def if_return_or_fall_last(a, b, c):
    if a:
        return g(a)
    h(b)


def if_return_or_fall_in_loop(a, b, c):
    for w in c:
        if a:
            return g(a)
        h(b)


def if_return_or_fall_in_try(a, b, c):
    try:
        if a:
            return g(a)
        h(b)
    except OSError:
        return z(a)


def if_return_or_fall_in_finally(a, b, c):
    try:
        z(a)
    finally:
        if a:
            return g(a)
        h(b)


def if_return_or_fall_in_with(a, b, c):
    with z(c):
        if a:
            return g(a)
        h(b)


def if_return_or_fall_in_if(a, b, c):
    if z(c):
        if a:
            return g(a)
        h(b)
    z(b)
    return a


def elif_return_last(a, b, c):
    if a:
        return g(a)
    if b:
        return h(b)
    return k()


def elif_return_in_loop(a, b, c):
    for w in c:
        if a:
            return g(a)
        if b:
            return h(b)
        return k()


def elif_return_in_try(a, b, c):
    try:
        if a:
            return g(a)
        if b:
            return h(b)
        return k()
    except OSError:
        return z(a)


def elif_return_in_finally(a, b, c):
    try:
        z(a)
    finally:
        if a:
            return g(a)
        if b:
            return h(b)
        return k()


def elif_return_in_with(a, b, c):
    with z(c):
        if a:
            return g(a)
        if b:
            return h(b)
        return k()


def elif_return_in_if(a, b, c):
    if z(c):
        if a:
            return g(a)
        if b:
            return h(b)
        return k()
    z(b)
    return a


def if_raise_last(a, b, c):
    if not a:
        raise ValueError(b)
    return a


def if_raise_in_loop(a, b, c):
    for w in c:
        if not a:
            raise ValueError(b)
        return a


def if_raise_in_try(a, b, c):
    try:
        if not a:
            raise ValueError(b)
        return a
    except OSError:
        return z(a)


def if_raise_in_finally(a, b, c):
    try:
        z(a)
    finally:
        if not a:
            raise ValueError(b)
        return a


def if_raise_in_with(a, b, c):
    with z(c):
        if not a:
            raise ValueError(b)
        return a


def if_raise_in_if(a, b, c):
    if z(c):
        if not a:
            raise ValueError(b)
        return a
    z(b)
    return a


def if_else_assigned_last(a, b, c):
    if a:
        x = g(a)
    else:
        x = h(b)
    return x


def if_else_assigned_in_loop(a, b, c):
    for w in c:
        if a:
            x = g(a)
        else:
            x = h(b)
        return x


def if_else_assigned_in_try(a, b, c):
    try:
        if a:
            x = g(a)
        else:
            x = h(b)
        return x
    except OSError:
        return z(a)


def if_else_assigned_in_finally(a, b, c):
    try:
        z(a)
    finally:
        if a:
            x = g(a)
        else:
            x = h(b)
        return x


def if_else_assigned_in_with(a, b, c):
    with z(c):
        if a:
            x = g(a)
        else:
            x = h(b)
        return x


def if_else_assigned_in_if(a, b, c):
    if z(c):
        if a:
            x = g(a)
        else:
            x = h(b)
        return x
    z(b)
    return a


def if_nested_return_last(a, b, c):
    if a:
        if b:
            return g(a)
        h(b)
    return k()


def if_nested_return_in_loop(a, b, c):
    for w in c:
        if a:
            if b:
                return g(a)
            h(b)
        return k()


def if_nested_return_in_try(a, b, c):
    try:
        if a:
            if b:
                return g(a)
            h(b)
        return k()
    except OSError:
        return z(a)


def if_nested_return_in_finally(a, b, c):
    try:
        z(a)
    finally:
        if a:
            if b:
                return g(a)
            h(b)
        return k()


def if_nested_return_in_with(a, b, c):
    with z(c):
        if a:
            if b:
                return g(a)
            h(b)
        return k()


def if_nested_return_in_if(a, b, c):
    if z(c):
        if a:
            if b:
                return g(a)
            h(b)
        return k()
    z(b)
    return a


def a_loop_after_an_else_that_leaves(a, x):
    if a == 1:
        g(1)
    else:
        return g(a)
    while a:
        k()
    while True:
        if x:
            break
        k()
    return x


def a_try_after_an_else_that_leaves(a, b):
    with b:
        if a:
            g(b)
        else:
            raise E(a)
        try:
            k()
        except E:
            x()
    return x


def a_pass_and_an_else_that_leaves(a, x):
    if a:
        pass
    else:
        return g(a)
    k()
    return x
