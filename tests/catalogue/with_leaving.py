# `with` that control leaves by return, raise, break or continue


def with_return_last(a, b, c):
    with a:
        return g(b)


def with_return_in_loop(a, b, c):
    for w in c:
        with a:
            return g(b)


def with_return_in_try(a, b, c):
    try:
        with a:
            return g(b)
    except OSError:
        return z(a)


def with_return_in_finally(a, b, c):
    try:
        z(a)
    finally:
        with a:
            return g(b)


def with_return_in_if(a, b, c):
    if z(c):
        with a:
            return g(b)
    z(b)
    return a


def with_return_constant_last(a, b, c):
    with a:
        return 1


def with_return_constant_in_loop(a, b, c):
    for w in c:
        with a:
            return 1


def with_return_constant_in_try(a, b, c):
    try:
        with a:
            return 1
    except OSError:
        return z(a)


def with_return_constant_in_finally(a, b, c):
    try:
        z(a)
    finally:
        with a:
            return 1


def with_return_constant_in_if(a, b, c):
    if z(c):
        with a:
            return 1
    z(b)
    return a


def with_return_as_last(a, b, c):
    with a as x:
        return x


def with_return_as_in_loop(a, b, c):
    for w in c:
        with a as x:
            return x


def with_return_as_in_try(a, b, c):
    try:
        with a as x:
            return x
    except OSError:
        return z(a)


def with_return_as_in_finally(a, b, c):
    try:
        z(a)
    finally:
        with a as x:
            return x


def with_return_as_in_if(a, b, c):
    if z(c):
        with a as x:
            return x
    z(b)
    return a


def with_return_or_fall_last(a, b, c):
    with a:
        if b:
            return g(b)
        h(b)
    return k()


def with_return_or_fall_in_loop(a, b, c):
    for w in c:
        with a:
            if b:
                return g(b)
            h(b)
        return k()


def with_return_or_fall_in_try(a, b, c):
    try:
        with a:
            if b:
                return g(b)
            h(b)
        return k()
    except OSError:
        return z(a)


def with_return_or_fall_in_finally(a, b, c):
    try:
        z(a)
    finally:
        with a:
            if b:
                return g(b)
            h(b)
        return k()


def with_return_or_fall_in_if(a, b, c):
    if z(c):
        with a:
            if b:
                return g(b)
            h(b)
        return k()
    z(b)
    return a


def with_raise_last(a, b, c):
    with a:
        raise ValueError(b)


def with_raise_in_loop(a, b, c):
    for w in c:
        with a:
            raise ValueError(b)


def with_raise_in_try(a, b, c):
    try:
        with a:
            raise ValueError(b)
    except OSError:
        return z(a)


def with_raise_in_finally(a, b, c):
    try:
        z(a)
    finally:
        with a:
            raise ValueError(b)


def with_raise_in_if(a, b, c):
    if z(c):
        with a:
            raise ValueError(b)
    z(b)
    return a


def with_break_last(a, b, c):
    for x in a:
        with b:
            if x:
                break
            g(x)
    return h(a)


def with_break_in_loop(a, b, c):
    for w in c:
        for x in a:
            with b:
                if x:
                    break
                g(x)
        return h(a)


def with_break_in_try(a, b, c):
    try:
        for x in a:
            with b:
                if x:
                    break
                g(x)
        return h(a)
    except OSError:
        z(a)
    return a


def with_break_in_finally(a, b, c):
    try:
        z(a)
    finally:
        for x in a:
            with b:
                if x:
                    break
                g(x)
        return h(a)


def with_break_in_if(a, b, c):
    if z(c):
        for x in a:
            with b:
                if x:
                    break
                g(x)
        return h(a)
    z(b)
    return a


def with_continue_last(a, b, c):
    for x in a:
        with b:
            if x:
                continue
            g(x)
        h(x)


def with_continue_in_loop(a, b, c):
    for w in c:
        for x in a:
            with b:
                if x:
                    continue
                g(x)
            h(x)


def with_continue_in_try(a, b, c):
    try:
        for x in a:
            with b:
                if x:
                    continue
                g(x)
            h(x)
    except OSError:
        z(a)
    return a


def with_continue_in_finally(a, b, c):
    try:
        z(a)
    finally:
        for x in a:
            with b:
                if x:
                    continue
                g(x)
            h(x)


def with_continue_in_if(a, b, c):
    if z(c):
        for x in a:
            with b:
                if x:
                    continue
                g(x)
            h(x)
    z(b)
    return a


def with_return_in_loop_last(a, b, c):
    for x in a:
        with b:
            if x:
                return x
    return h(a)


def with_return_in_loop_in_loop(a, b, c):
    for w in c:
        for x in a:
            with b:
                if x:
                    return x
        return h(a)


def with_return_in_loop_in_try(a, b, c):
    try:
        for x in a:
            with b:
                if x:
                    return x
        return h(a)
    except OSError:
        z(a)
    return a


def with_return_in_loop_in_finally(a, b, c):
    try:
        z(a)
    finally:
        for x in a:
            with b:
                if x:
                    return x
        return h(a)


def with_return_in_loop_in_if(a, b, c):
    if z(c):
        for x in a:
            with b:
                if x:
                    return x
        return h(a)
    z(b)
    return a


def with_with_return_last(a, b, c):
    with a:
        with b as y:
            g(y)
        return y


def with_with_return_in_loop(a, b, c):
    for w in c:
        with a:
            with b as y:
                g(y)
            return y


def with_with_return_in_try(a, b, c):
    try:
        with a:
            with b as y:
                g(y)
            return y
    except OSError:
        return z(a)


def with_with_return_in_finally(a, b, c):
    try:
        z(a)
    finally:
        with a:
            with b as y:
                g(y)
            return y


def with_with_return_in_if(a, b, c):
    if z(c):
        with a:
            with b as y:
                g(y)
            return y
    z(b)
    return a


def with_try_finally_return_last(a, b, c):
    with a:
        try:
            return g(b)
        finally:
            h(c)


def with_try_finally_return_in_loop(a, b, c):
    for w in c:
        with a:
            try:
                return g(b)
            finally:
                h(c)


def with_try_finally_return_in_try(a, b, c):
    try:
        with a:
            try:
                return g(b)
            finally:
                h(c)
    except OSError:
        return z(a)


def with_try_finally_return_in_finally(a, b, c):
    try:
        z(a)
    finally:
        with a:
            try:
                return g(b)
            finally:
                h(c)


def with_try_finally_return_in_if(a, b, c):
    if z(c):
        with a:
            try:
                return g(b)
            finally:
                h(c)
    z(b)
    return a


def with_before_a_last_assignment(self, a, b):
    with a.stack() as c:
        if a != b:
            c.push(a)
        if b is not None:
            c.push(b)
    self.closed = True
