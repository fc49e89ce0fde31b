# `loops` that control leaves by return, raise, break or continue


def for_return_last(a, b, c):
    for x in a:
        if x > b:
            return x
    return b


def for_return_in_loop(a, b, c):
    for w in c:
        for x in a:
            if x > b:
                return x
        return b


def for_return_in_try(a, b, c):
    try:
        for x in a:
            if x > b:
                return x
        return b
    except OSError:
        z(a)
    return a


def for_return_in_finally(a, b, c):
    try:
        z(a)
    finally:
        for x in a:
            if x > b:
                return x
        return b


def for_return_in_with(a, b, c):
    with z(c):
        for x in a:
            if x > b:
                return x
        return b
    return a


def for_return_in_if(a, b, c):
    if z(c):
        for x in a:
            if x > b:
                return x
        return b
    z(b)
    return a


def for_else_return_last(a, b, c):
    for x in a:
        if x > b:
            break
    else:
        return h(a)
    return g(x)


def for_else_return_in_loop(a, b, c):
    for w in c:
        for x in a:
            if x > b:
                break
        else:
            return h(a)
        return g(x)


def for_else_return_in_try(a, b, c):
    try:
        for x in a:
            if x > b:
                break
        else:
            return h(a)
        return g(x)
    except OSError:
        z(a)
    return a


def for_else_return_in_finally(a, b, c):
    try:
        z(a)
    finally:
        for x in a:
            if x > b:
                break
        else:
            return h(a)
        return g(x)


def for_else_return_in_with(a, b, c):
    with z(c):
        for x in a:
            if x > b:
                break
        else:
            return h(a)
        return g(x)
    return a


def for_else_return_in_if(a, b, c):
    if z(c):
        for x in a:
            if x > b:
                break
        else:
            return h(a)
        return g(x)
    z(b)
    return a


def for_raise_last(a, b, c):
    for x in a:
        raise ValueError(x)


def for_raise_in_loop(a, b, c):
    for w in c:
        for x in a:
            raise ValueError(x)


def for_raise_in_try(a, b, c):
    try:
        for x in a:
            raise ValueError(x)
    except OSError:
        z(a)
    return a


def for_raise_in_finally(a, b, c):
    try:
        z(a)
    finally:
        for x in a:
            raise ValueError(x)


def for_raise_in_with(a, b, c):
    with z(c):
        for x in a:
            raise ValueError(x)
    return a


def for_raise_in_if(a, b, c):
    if z(c):
        for x in a:
            raise ValueError(x)
    z(b)
    return a


def while_true_return_last(a, b, c):
    while True:
        if g(a):
            return a
        a = h(a)


def while_true_return_in_loop(a, b, c):
    for w in c:
        while True:
            if g(a):
                return a
            a = h(a)


def while_true_return_in_try(a, b, c):
    try:
        while True:
            if g(a):
                return a
            a = h(a)
    except OSError:
        z(a)
    return a


def while_true_return_in_finally(a, b, c):
    try:
        z(a)
    finally:
        while True:
            if g(a):
                return a
            a = h(a)


def while_true_return_in_with(a, b, c):
    with z(c):
        while True:
            if g(a):
                return a
            a = h(a)
    return a


def while_true_return_in_if(a, b, c):
    if z(c):
        while True:
            if g(a):
                return a
            a = h(a)
    z(b)
    return a


def while_forever_last(a, b, c):
    while True:
        g(a)


def while_forever_in_loop(a, b, c):
    for w in c:
        while True:
            g(a)


def while_forever_in_try(a, b, c):
    try:
        while True:
            g(a)
    except OSError:
        z(a)
    return a


def while_forever_in_finally(a, b, c):
    try:
        z(a)
    finally:
        while True:
            g(a)


def while_forever_in_with(a, b, c):
    with z(c):
        while True:
            g(a)
    return a


def while_forever_in_if(a, b, c):
    if z(c):
        while True:
            g(a)
    z(b)
    return a


def for_return_inner_last(a, b, c):
    for x in a:
        for y in x:
            if y:
                return y
    return b


def for_return_inner_in_loop(a, b, c):
    for w in c:
        for x in a:
            for y in x:
                if y:
                    return y
        return b


def for_return_inner_in_try(a, b, c):
    try:
        for x in a:
            for y in x:
                if y:
                    return y
        return b
    except OSError:
        z(a)
    return a


def for_return_inner_in_finally(a, b, c):
    try:
        z(a)
    finally:
        for x in a:
            for y in x:
                if y:
                    return y
        return b


def for_return_inner_in_with(a, b, c):
    with z(c):
        for x in a:
            for y in x:
                if y:
                    return y
        return b
    return a


def for_return_inner_in_if(a, b, c):
    if z(c):
        for x in a:
            for y in x:
                if y:
                    return y
        return b
    z(b)
    return a


def while_break_both_last(a, b, c):
    while a:
        while b:
            if g(a):
                break
            h(b)
        k()
    return a


def while_break_both_in_loop(a, b, c):
    for w in c:
        while a:
            while b:
                if g(a):
                    break
                h(b)
            k()
        return a


def while_break_both_in_try(a, b, c):
    try:
        while a:
            while b:
                if g(a):
                    break
                h(b)
            k()
        return a
    except OSError:
        z(a)
    return a


def while_break_both_in_finally(a, b, c):
    try:
        z(a)
    finally:
        while a:
            while b:
                if g(a):
                    break
                h(b)
            k()
        return a


def while_break_both_in_with(a, b, c):
    with z(c):
        while a:
            while b:
                if g(a):
                    break
                h(b)
            k()
        return a
    return a


def while_break_both_in_if(a, b, c):
    if z(c):
        while a:
            while b:
                if g(a):
                    break
                h(b)
            k()
        return a
    z(b)
    return a


def for_broken_before_a_return(a, b):
    for x in b:
        if x:
            a.append(x)
        else:
            break
    return a


def for_broken_before_a_return_of_two(a, b):
    for x in b:
        if x in a:
            break
        b.pop()
    return a, b


def for_break_to_a_return_after_a_raise(a, b):
    for i in range(1, len(b)):
        c = b[:i]
        a = b[i:]
        if len(c) <= 3 and len(a) <= 4:
            break
    else:
        raise ValueError('x')
    return c, a


def for_break_after_an_if(a, b):
    for x in a:
        y = b(x)
        if y:
            if x == 'z':
                y = y[0]
            break
    else:
        y = 'z'
    return b(y)


def for_break_after_a_with(a, b):
    c = None
    for x in a:
        try:
            with b(x) as y:
                c = y.read()
            break
        except OSError:
            pass
    if not c:
        c = b
    b.c = c


def for_break_after_an_if_in_a_try(a, b):
    for x in a:
        c = None
        try:
            c = b(x)
            if x == 3:
                c.connect()
            break
        except OSError:
            b.close()
    if c is not None:
        raise c


def for_break_in_an_if_and_after(a, b):
    for x in a:
        y = b(x)
        if y:
            if x == 'z':
                y = y[0]
                break
            break
    else:
        y = 'z'
    return b(y)


def while_break_in_the_inner_of_two(a, b):
    while a():
        for x in b:
            if x:
                if x > 4:
                    a(x)
                break
        else:
            break
        a(b)
    return a


def for_break_after_an_if_and_in_clauses(path, seen, f):
    while f(path) not in seen:
        try:
            old = path
            path = f(path)
            if not seen(path):
                if not seen(old):
                    path = old
                    break
                path = f(path)
        except OSError as ex:
            if ex in seen:
                break
            raise
        except ValueError:
            break
    return path


def while_break_after_a_try(self):
    a = None
    while True:
        try:
            a = self.read(self)
        except EOFError as e:
            if self.ignored:
                self.offset += 3
                continue
        except KeyError as e:
            if self.offset == 0:
                raise ValueError(e) from None
        break
    return a + 3


def for_break_after_an_assignment_before_a_return(a, b):
    for x, y in zip(a, b):
        if x is not y:
            b = tuple(b)
            break
    else:
        b = a
    return b


def continue_after_an_if_in_a_try(a, f, g):
    for x in a:
        try:
            for y in x:
                if y:
                    break
            else:
                if f:
                    f()
                continue
            break
        finally:
            x = y = None
    else:
        g()


def return_at_the_end_of_a_loop_in_an_if(a, b, c):
    if a:
        for y in a:
            if b:
                x = a
            elif c:
                continue
            return c
        g(a)
    h(x)


def raise_at_the_end_of_a_loop_before_a_try(a, b):
    with a:
        for y in b:
            if y:
                x = y
            elif g(y):
                continue
            raise x
        try:
            g(a)
        except OSError:
            h(a)
        except ValueError as e:
            h(e)
    h(b)


def a_break_before_a_short_return(fp, m):
    headers = []
    while True:
        line = fp.readline(5)
        if line:
            break
        if len(headers) > m:
            raise HTTP(f"got more than {m} headers")
    return headers


def a_return_before_a_finally(a, timeout):
    try:
        while True:
            if a.poll(timeout):
                return True
            if a.timeout <= 0:
                raise TimeoutExpired(a, timeout)
    finally:
        a.close()
