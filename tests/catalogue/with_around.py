# `with` followed by something, last, and inside other statements


def with_then(a, b, c):
    with a:
        g(b)
    return z(a)


def with_last(a, b, c):
    with a:
        g(b)


def with_in_loop(a, b, c):
    for w in c:
        with a:
            g(b)
        z(w)


def with_ends_loop(a, b, c):
    while z(c):
        with a:
            g(b)


def with_in_try(a, b, c):
    try:
        with a:
            g(b)
    except OSError:
        z(a)
    return a


def with_in_finally(a, b, c):
    try:
        z(a)
    finally:
        with a:
            g(b)


def with_in_with(a, b, c):
    with z(c):
        with a:
            g(b)
    return a


def with_in_if(a, b, c):
    if z(c):
        with a:
            g(b)
    else:
        z(b)
    return a


def with_as_then(a, b, c):
    with g(a) as x:
        h(x)
    return z(a)


def with_as_last(a, b, c):
    with g(a) as x:
        h(x)


def with_as_in_loop(a, b, c):
    for w in c:
        with g(a) as x:
            h(x)
        z(w)


def with_as_ends_loop(a, b, c):
    while z(c):
        with g(a) as x:
            h(x)


def with_as_in_try(a, b, c):
    try:
        with g(a) as x:
            h(x)
    except OSError:
        z(a)
    return a


def with_as_in_finally(a, b, c):
    try:
        z(a)
    finally:
        with g(a) as x:
            h(x)


def with_as_in_with(a, b, c):
    with z(c):
        with g(a) as x:
            h(x)
    return a


def with_as_in_if(a, b, c):
    if z(c):
        with g(a) as x:
            h(x)
    else:
        z(b)
    return a


def with_two_then(a, b, c):
    with g(a) as x, h(b) as y:
        k(x, y)
    return z(a)


def with_two_last(a, b, c):
    with g(a) as x, h(b) as y:
        k(x, y)


def with_two_in_loop(a, b, c):
    for w in c:
        with g(a) as x, h(b) as y:
            k(x, y)
        z(w)


def with_two_ends_loop(a, b, c):
    while z(c):
        with g(a) as x, h(b) as y:
            k(x, y)


def with_two_in_try(a, b, c):
    try:
        with g(a) as x, h(b) as y:
            k(x, y)
    except OSError:
        z(a)
    return a


def with_two_in_finally(a, b, c):
    try:
        z(a)
    finally:
        with g(a) as x, h(b) as y:
            k(x, y)


def with_two_in_with(a, b, c):
    with z(c):
        with g(a) as x, h(b) as y:
            k(x, y)
    return a


def with_two_in_if(a, b, c):
    if z(c):
        with g(a) as x, h(b) as y:
            k(x, y)
    else:
        z(b)
    return a


def with_three_then(a, b, c):
    with a, b as y, c:
        g(y)
    return z(a)


def with_three_last(a, b, c):
    with a, b as y, c:
        g(y)


def with_three_in_loop(a, b, c):
    for w in c:
        with a, b as y, c:
            g(y)
        z(w)


def with_three_ends_loop(a, b, c):
    while z(c):
        with a, b as y, c:
            g(y)


def with_three_in_try(a, b, c):
    try:
        with a, b as y, c:
            g(y)
    except OSError:
        z(a)
    return a


def with_three_in_finally(a, b, c):
    try:
        z(a)
    finally:
        with a, b as y, c:
            g(y)


def with_three_in_with(a, b, c):
    with z(c):
        with a, b as y, c:
            g(y)
    return a


def with_three_in_if(a, b, c):
    if z(c):
        with a, b as y, c:
            g(y)
    else:
        z(b)
    return a


def with_unpack_then(a, b, c):
    with a as (x, y):
        g(x, y)
    return z(a)


def with_unpack_last(a, b, c):
    with a as (x, y):
        g(x, y)


def with_unpack_in_loop(a, b, c):
    for w in c:
        with a as (x, y):
            g(x, y)
        z(w)


def with_unpack_ends_loop(a, b, c):
    while z(c):
        with a as (x, y):
            g(x, y)


def with_unpack_in_try(a, b, c):
    try:
        with a as (x, y):
            g(x, y)
    except OSError:
        z(a)
    return a


def with_unpack_in_finally(a, b, c):
    try:
        z(a)
    finally:
        with a as (x, y):
            g(x, y)


def with_unpack_in_with(a, b, c):
    with z(c):
        with a as (x, y):
            g(x, y)
    return a


def with_unpack_in_if(a, b, c):
    if z(c):
        with a as (x, y):
            g(x, y)
    else:
        z(b)
    return a


def with_attribute_then(a, b, c):
    with a as b.x:
        g(b)
    return z(a)


def with_attribute_last(a, b, c):
    with a as b.x:
        g(b)


def with_attribute_in_loop(a, b, c):
    for w in c:
        with a as b.x:
            g(b)
        z(w)


def with_attribute_ends_loop(a, b, c):
    while z(c):
        with a as b.x:
            g(b)


def with_attribute_in_try(a, b, c):
    try:
        with a as b.x:
            g(b)
    except OSError:
        z(a)
    return a


def with_attribute_in_finally(a, b, c):
    try:
        z(a)
    finally:
        with a as b.x:
            g(b)


def with_attribute_in_with(a, b, c):
    with z(c):
        with a as b.x:
            g(b)
    return a


def with_attribute_in_if(a, b, c):
    if z(c):
        with a as b.x:
            g(b)
    else:
        z(b)
    return a


def with_if_then(a, b, c):
    with a:
        if b:
            g(b)
    return z(a)


def with_if_last(a, b, c):
    with a:
        if b:
            g(b)


def with_if_in_loop(a, b, c):
    for w in c:
        with a:
            if b:
                g(b)
        z(w)


def with_if_ends_loop(a, b, c):
    while z(c):
        with a:
            if b:
                g(b)


def with_if_in_try(a, b, c):
    try:
        with a:
            if b:
                g(b)
    except OSError:
        z(a)
    return a


def with_if_in_finally(a, b, c):
    try:
        z(a)
    finally:
        with a:
            if b:
                g(b)


def with_if_in_with(a, b, c):
    with z(c):
        with a:
            if b:
                g(b)
    return a


def with_if_in_if(a, b, c):
    if z(c):
        with a:
            if b:
                g(b)
    else:
        z(b)
    return a


def with_try_then(a, b, c):
    with a:
        try:
            g(b)
        except KeyError:
            h(c)
    return z(a)


def with_try_last(a, b, c):
    with a:
        try:
            g(b)
        except KeyError:
            h(c)


def with_try_in_loop(a, b, c):
    for w in c:
        with a:
            try:
                g(b)
            except KeyError:
                h(c)
        z(w)


def with_try_ends_loop(a, b, c):
    while z(c):
        with a:
            try:
                g(b)
            except KeyError:
                h(c)


def with_try_in_try(a, b, c):
    try:
        with a:
            try:
                g(b)
            except KeyError:
                h(c)
    except OSError:
        z(a)
    return a


def with_try_in_finally(a, b, c):
    try:
        z(a)
    finally:
        with a:
            try:
                g(b)
            except KeyError:
                h(c)


def with_try_in_with(a, b, c):
    with z(c):
        with a:
            try:
                g(b)
            except KeyError:
                h(c)
    return a


def with_try_in_if(a, b, c):
    if z(c):
        with a:
            try:
                g(b)
            except KeyError:
                h(c)
    else:
        z(b)
    return a


def with_loop_then(a, b, c):
    with a:
        for x in b:
            g(x)
    return z(a)


def with_loop_last(a, b, c):
    with a:
        for x in b:
            g(x)


def with_loop_in_loop(a, b, c):
    for w in c:
        with a:
            for x in b:
                g(x)
        z(w)


def with_loop_ends_loop(a, b, c):
    while z(c):
        with a:
            for x in b:
                g(x)


def with_loop_in_try(a, b, c):
    try:
        with a:
            for x in b:
                g(x)
    except OSError:
        z(a)
    return a


def with_loop_in_finally(a, b, c):
    try:
        z(a)
    finally:
        with a:
            for x in b:
                g(x)


def with_loop_in_with(a, b, c):
    with z(c):
        with a:
            for x in b:
                g(x)
    return a


def with_loop_in_if(a, b, c):
    if z(c):
        with a:
            for x in b:
                g(x)
    else:
        z(b)
    return a
