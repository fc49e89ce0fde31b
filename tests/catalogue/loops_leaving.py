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
