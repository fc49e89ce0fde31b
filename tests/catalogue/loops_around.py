# `loops` followed by something, last, and inside other statements


def for_then(a, b, c):
    for x in a:
        g(x)
    return z(a)


def for_last(a, b, c):
    for x in a:
        g(x)


def for_in_loop(a, b, c):
    for w in c:
        for x in a:
            g(x)
        z(w)


def for_ends_loop(a, b, c):
    while z(c):
        for x in a:
            g(x)


def for_in_try(a, b, c):
    try:
        for x in a:
            g(x)
    except OSError:
        z(a)
    return a


def for_in_finally(a, b, c):
    try:
        z(a)
    finally:
        for x in a:
            g(x)


def for_in_with(a, b, c):
    with z(c):
        for x in a:
            g(x)
    return a


def for_in_if(a, b, c):
    if z(c):
        for x in a:
            g(x)
    else:
        z(b)
    return a


def for_else_then(a, b, c):
    for x in a:
        if x:
            break
        g(x)
    else:
        h(a)
    return z(a)


def for_else_last(a, b, c):
    for x in a:
        if x:
            break
        g(x)
    else:
        h(a)


def for_else_in_loop(a, b, c):
    for w in c:
        for x in a:
            if x:
                break
            g(x)
        else:
            h(a)
        z(w)


def for_else_ends_loop(a, b, c):
    while z(c):
        for x in a:
            if x:
                break
            g(x)
        else:
            h(a)


def for_else_in_try(a, b, c):
    try:
        for x in a:
            if x:
                break
            g(x)
        else:
            h(a)
    except OSError:
        z(a)
    return a


def for_else_in_finally(a, b, c):
    try:
        z(a)
    finally:
        for x in a:
            if x:
                break
            g(x)
        else:
            h(a)


def for_else_in_with(a, b, c):
    with z(c):
        for x in a:
            if x:
                break
            g(x)
        else:
            h(a)
    return a


def for_else_in_if(a, b, c):
    if z(c):
        for x in a:
            if x:
                break
            g(x)
        else:
            h(a)
    else:
        z(b)
    return a


def for_break_then(a, b, c):
    for x in a:
        if x > b:
            break
        g(x)
    return z(a)


def for_break_last(a, b, c):
    for x in a:
        if x > b:
            break
        g(x)


def for_break_in_loop(a, b, c):
    for w in c:
        for x in a:
            if x > b:
                break
            g(x)
        z(w)


def for_break_ends_loop(a, b, c):
    while z(c):
        for x in a:
            if x > b:
                break
            g(x)


def for_break_in_try(a, b, c):
    try:
        for x in a:
            if x > b:
                break
            g(x)
    except OSError:
        z(a)
    return a


def for_break_in_finally(a, b, c):
    try:
        z(a)
    finally:
        for x in a:
            if x > b:
                break
            g(x)


def for_break_in_with(a, b, c):
    with z(c):
        for x in a:
            if x > b:
                break
            g(x)
    return a


def for_break_in_if(a, b, c):
    if z(c):
        for x in a:
            if x > b:
                break
            g(x)
    else:
        z(b)
    return a


def for_continue_then(a, b, c):
    for x in a:
        if x > b:
            continue
        g(x)
    return z(a)


def for_continue_last(a, b, c):
    for x in a:
        if x > b:
            continue
        g(x)


def for_continue_in_loop(a, b, c):
    for w in c:
        for x in a:
            if x > b:
                continue
            g(x)
        z(w)


def for_continue_ends_loop(a, b, c):
    while z(c):
        for x in a:
            if x > b:
                continue
            g(x)


def for_continue_in_try(a, b, c):
    try:
        for x in a:
            if x > b:
                continue
            g(x)
    except OSError:
        z(a)
    return a


def for_continue_in_finally(a, b, c):
    try:
        z(a)
    finally:
        for x in a:
            if x > b:
                continue
            g(x)


def for_continue_in_with(a, b, c):
    with z(c):
        for x in a:
            if x > b:
                continue
            g(x)
    return a


def for_continue_in_if(a, b, c):
    if z(c):
        for x in a:
            if x > b:
                continue
            g(x)
    else:
        z(b)
    return a


def for_nested_then(a, b, c):
    for x in a:
        for y in x:
            if y:
                break
            g(y)
        h(x)
    return z(a)


def for_nested_last(a, b, c):
    for x in a:
        for y in x:
            if y:
                break
            g(y)
        h(x)


def for_nested_in_loop(a, b, c):
    for w in c:
        for x in a:
            for y in x:
                if y:
                    break
                g(y)
            h(x)
        z(w)


def for_nested_ends_loop(a, b, c):
    while z(c):
        for x in a:
            for y in x:
                if y:
                    break
                g(y)
            h(x)


def for_nested_in_try(a, b, c):
    try:
        for x in a:
            for y in x:
                if y:
                    break
                g(y)
            h(x)
    except OSError:
        z(a)
    return a


def for_nested_in_finally(a, b, c):
    try:
        z(a)
    finally:
        for x in a:
            for y in x:
                if y:
                    break
                g(y)
            h(x)


def for_nested_in_with(a, b, c):
    with z(c):
        for x in a:
            for y in x:
                if y:
                    break
                g(y)
            h(x)
    return a


def for_nested_in_if(a, b, c):
    if z(c):
        for x in a:
            for y in x:
                if y:
                    break
                g(y)
            h(x)
    else:
        z(b)
    return a


def for_unpack_then(a, b, c):
    for i, (x, *y) in a:
        g(i, x, y)
    return z(a)


def for_unpack_last(a, b, c):
    for i, (x, *y) in a:
        g(i, x, y)


def for_unpack_in_loop(a, b, c):
    for w in c:
        for i, (x, *y) in a:
            g(i, x, y)
        z(w)


def for_unpack_ends_loop(a, b, c):
    while z(c):
        for i, (x, *y) in a:
            g(i, x, y)


def for_unpack_in_try(a, b, c):
    try:
        for i, (x, *y) in a:
            g(i, x, y)
    except OSError:
        z(a)
    return a


def for_unpack_in_finally(a, b, c):
    try:
        z(a)
    finally:
        for i, (x, *y) in a:
            g(i, x, y)


def for_unpack_in_with(a, b, c):
    with z(c):
        for i, (x, *y) in a:
            g(i, x, y)
    return a


def for_unpack_in_if(a, b, c):
    if z(c):
        for i, (x, *y) in a:
            g(i, x, y)
    else:
        z(b)
    return a


def for_target_then(a, b, c):
    for b.x in a:
        g(b)
    return z(a)


def for_target_last(a, b, c):
    for b.x in a:
        g(b)


def for_target_in_loop(a, b, c):
    for w in c:
        for b.x in a:
            g(b)
        z(w)


def for_target_ends_loop(a, b, c):
    while z(c):
        for b.x in a:
            g(b)


def for_target_in_try(a, b, c):
    try:
        for b.x in a:
            g(b)
    except OSError:
        z(a)
    return a


def for_target_in_finally(a, b, c):
    try:
        z(a)
    finally:
        for b.x in a:
            g(b)


def for_target_in_with(a, b, c):
    with z(c):
        for b.x in a:
            g(b)
    return a


def for_target_in_if(a, b, c):
    if z(c):
        for b.x in a:
            g(b)
    else:
        z(b)
    return a


def for_subscript_target_then(a, b, c):
    for b[0] in a:
        g(b)
    return z(a)


def for_subscript_target_last(a, b, c):
    for b[0] in a:
        g(b)


def for_subscript_target_in_loop(a, b, c):
    for w in c:
        for b[0] in a:
            g(b)
        z(w)


def for_subscript_target_ends_loop(a, b, c):
    while z(c):
        for b[0] in a:
            g(b)


def for_subscript_target_in_try(a, b, c):
    try:
        for b[0] in a:
            g(b)
    except OSError:
        z(a)
    return a


def for_subscript_target_in_finally(a, b, c):
    try:
        z(a)
    finally:
        for b[0] in a:
            g(b)


def for_subscript_target_in_with(a, b, c):
    with z(c):
        for b[0] in a:
            g(b)
    return a


def for_subscript_target_in_if(a, b, c):
    if z(c):
        for b[0] in a:
            g(b)
    else:
        z(b)
    return a


def while_then(a, b, c):
    while a:
        g(a)
    return z(a)


def while_last(a, b, c):
    while a:
        g(a)


def while_in_loop(a, b, c):
    for w in c:
        while a:
            g(a)
        z(w)


def while_ends_loop(a, b, c):
    while z(c):
        while a:
            g(a)


def while_in_try(a, b, c):
    try:
        while a:
            g(a)
    except OSError:
        z(a)
    return a


def while_in_finally(a, b, c):
    try:
        z(a)
    finally:
        while a:
            g(a)


def while_in_with(a, b, c):
    with z(c):
        while a:
            g(a)
    return a


def while_in_if(a, b, c):
    if z(c):
        while a:
            g(a)
    else:
        z(b)
    return a


def while_true_then(a, b, c):
    while True:
        if g(a):
            break
        h(a)
    return z(a)


def while_true_last(a, b, c):
    while True:
        if g(a):
            break
        h(a)


def while_true_in_loop(a, b, c):
    for w in c:
        while True:
            if g(a):
                break
            h(a)
        z(w)


def while_true_ends_loop(a, b, c):
    while z(c):
        while True:
            if g(a):
                break
            h(a)


def while_true_in_try(a, b, c):
    try:
        while True:
            if g(a):
                break
            h(a)
    except OSError:
        z(a)
    return a


def while_true_in_finally(a, b, c):
    try:
        z(a)
    finally:
        while True:
            if g(a):
                break
            h(a)


def while_true_in_with(a, b, c):
    with z(c):
        while True:
            if g(a):
                break
            h(a)
    return a


def while_true_in_if(a, b, c):
    if z(c):
        while True:
            if g(a):
                break
            h(a)
    else:
        z(b)
    return a


def while_and_then(a, b, c):
    while a and b:
        g(a)
    return z(a)


def while_and_last(a, b, c):
    while a and b:
        g(a)


def while_and_in_loop(a, b, c):
    for w in c:
        while a and b:
            g(a)
        z(w)


def while_and_ends_loop(a, b, c):
    while z(c):
        while a and b:
            g(a)


def while_and_in_try(a, b, c):
    try:
        while a and b:
            g(a)
    except OSError:
        z(a)
    return a


def while_and_in_finally(a, b, c):
    try:
        z(a)
    finally:
        while a and b:
            g(a)


def while_and_in_with(a, b, c):
    with z(c):
        while a and b:
            g(a)
    return a


def while_and_in_if(a, b, c):
    if z(c):
        while a and b:
            g(a)
    else:
        z(b)
    return a


def while_else_then(a, b, c):
    while a:
        if g(a):
            break
    else:
        h(a)
    return z(a)


def while_else_last(a, b, c):
    while a:
        if g(a):
            break
    else:
        h(a)


def while_else_in_loop(a, b, c):
    for w in c:
        while a:
            if g(a):
                break
        else:
            h(a)
        z(w)


def while_else_ends_loop(a, b, c):
    while z(c):
        while a:
            if g(a):
                break
        else:
            h(a)


def while_else_in_try(a, b, c):
    try:
        while a:
            if g(a):
                break
        else:
            h(a)
    except OSError:
        z(a)
    return a


def while_else_in_finally(a, b, c):
    try:
        z(a)
    finally:
        while a:
            if g(a):
                break
        else:
            h(a)


def while_else_in_with(a, b, c):
    with z(c):
        while a:
            if g(a):
                break
        else:
            h(a)
    return a


def while_else_in_if(a, b, c):
    if z(c):
        while a:
            if g(a):
                break
        else:
            h(a)
    else:
        z(b)
    return a


def while_continue_then(a, b, c):
    while g(a):
        if b:
            continue
        h(a)
    return z(a)


def while_continue_last(a, b, c):
    while g(a):
        if b:
            continue
        h(a)


def while_continue_in_loop(a, b, c):
    for w in c:
        while g(a):
            if b:
                continue
            h(a)
        z(w)


def while_continue_ends_loop(a, b, c):
    while z(c):
        while g(a):
            if b:
                continue
            h(a)


def while_continue_in_try(a, b, c):
    try:
        while g(a):
            if b:
                continue
            h(a)
    except OSError:
        z(a)
    return a


def while_continue_in_finally(a, b, c):
    try:
        z(a)
    finally:
        while g(a):
            if b:
                continue
            h(a)


def while_continue_in_with(a, b, c):
    with z(c):
        while g(a):
            if b:
                continue
            h(a)
    return a


def while_continue_in_if(a, b, c):
    if z(c):
        while g(a):
            if b:
                continue
            h(a)
    else:
        z(b)
    return a


def while_walrus_then(a, b, c):
    while (x := g(a)):
        h(x)
    return z(a)


def while_walrus_last(a, b, c):
    while (x := g(a)):
        h(x)


def while_walrus_in_loop(a, b, c):
    for w in c:
        while (x := g(a)):
            h(x)
        z(w)


def while_walrus_ends_loop(a, b, c):
    while z(c):
        while (x := g(a)):
            h(x)


def while_walrus_in_try(a, b, c):
    try:
        while (x := g(a)):
            h(x)
    except OSError:
        z(a)
    return a


def while_walrus_in_finally(a, b, c):
    try:
        z(a)
    finally:
        while (x := g(a)):
            h(x)


def while_walrus_in_with(a, b, c):
    with z(c):
        while (x := g(a)):
            h(x)
    return a


def while_walrus_in_if(a, b, c):
    if z(c):
        while (x := g(a)):
            h(x)
    else:
        z(b)
    return a


def while_around_a_try(self, g):
    self.x = 3
    while True:
        try:
            self.get()
        except g:
            break
    self.x = 4


def while_in_a_try(self, g):
    self.x = 3
    try:
        while True:
            self.get()
    except g:
        pass
    self.x = 4


def while_around_a_try_in_a_with(self, g):
    with self.lock:
        self.x = 'x'
        while True:
            try:
                a = self.get()
            except g:
                break
            a.set(self.x)
