# `if` followed by something, last, and inside other statements


def if_then(a, b, c):
    if a:
        g(a)
    return z(a)


def if_last(a, b, c):
    if a:
        g(a)


def if_in_loop(a, b, c):
    for w in c:
        if a:
            g(a)
        z(w)


def if_ends_loop(a, b, c):
    while z(c):
        if a:
            g(a)


def if_in_try(a, b, c):
    try:
        if a:
            g(a)
    except OSError:
        z(a)
    return a


def if_in_finally(a, b, c):
    try:
        z(a)
    finally:
        if a:
            g(a)


def if_in_with(a, b, c):
    with z(c):
        if a:
            g(a)
    return a


def if_in_if(a, b, c):
    if z(c):
        if a:
            g(a)
    else:
        z(b)
    return a


def if_else_then(a, b, c):
    if a:
        g(a)
    else:
        h(b)
    return z(a)


def if_else_last(a, b, c):
    if a:
        g(a)
    else:
        h(b)


def if_else_in_loop(a, b, c):
    for w in c:
        if a:
            g(a)
        else:
            h(b)
        z(w)


def if_else_ends_loop(a, b, c):
    while z(c):
        if a:
            g(a)
        else:
            h(b)


def if_else_in_try(a, b, c):
    try:
        if a:
            g(a)
        else:
            h(b)
    except OSError:
        z(a)
    return a


def if_else_in_finally(a, b, c):
    try:
        z(a)
    finally:
        if a:
            g(a)
        else:
            h(b)


def if_else_in_with(a, b, c):
    with z(c):
        if a:
            g(a)
        else:
            h(b)
    return a


def if_else_in_if(a, b, c):
    if z(c):
        if a:
            g(a)
        else:
            h(b)
    else:
        z(b)
    return a


def elif_then(a, b, c):
    if a:
        g(a)
    elif b:
        h(b)
    return z(a)


def elif_last(a, b, c):
    if a:
        g(a)
    elif b:
        h(b)


def elif_in_loop(a, b, c):
    for w in c:
        if a:
            g(a)
        elif b:
            h(b)
        z(w)


def elif_ends_loop(a, b, c):
    while z(c):
        if a:
            g(a)
        elif b:
            h(b)


def elif_in_try(a, b, c):
    try:
        if a:
            g(a)
        elif b:
            h(b)
    except OSError:
        z(a)
    return a


def elif_in_finally(a, b, c):
    try:
        z(a)
    finally:
        if a:
            g(a)
        elif b:
            h(b)


def elif_in_with(a, b, c):
    with z(c):
        if a:
            g(a)
        elif b:
            h(b)
    return a


def elif_in_if(a, b, c):
    if z(c):
        if a:
            g(a)
        elif b:
            h(b)
    else:
        z(b)
    return a


def elif_else_then(a, b, c):
    if a:
        g(a)
    elif b:
        h(b)
    else:
        k()
    return z(a)


def elif_else_last(a, b, c):
    if a:
        g(a)
    elif b:
        h(b)
    else:
        k()


def elif_else_in_loop(a, b, c):
    for w in c:
        if a:
            g(a)
        elif b:
            h(b)
        else:
            k()
        z(w)


def elif_else_ends_loop(a, b, c):
    while z(c):
        if a:
            g(a)
        elif b:
            h(b)
        else:
            k()


def elif_else_in_try(a, b, c):
    try:
        if a:
            g(a)
        elif b:
            h(b)
        else:
            k()
    except OSError:
        z(a)
    return a


def elif_else_in_finally(a, b, c):
    try:
        z(a)
    finally:
        if a:
            g(a)
        elif b:
            h(b)
        else:
            k()


def elif_else_in_with(a, b, c):
    with z(c):
        if a:
            g(a)
        elif b:
            h(b)
        else:
            k()
    return a


def elif_else_in_if(a, b, c):
    if z(c):
        if a:
            g(a)
        elif b:
            h(b)
        else:
            k()
    else:
        z(b)
    return a


def nested_if_then(a, b, c):
    if a:
        if b:
            g(a)
        else:
            h(b)
        k()
    return z(a)


def nested_if_last(a, b, c):
    if a:
        if b:
            g(a)
        else:
            h(b)
        k()


def nested_if_in_loop(a, b, c):
    for w in c:
        if a:
            if b:
                g(a)
            else:
                h(b)
            k()
        z(w)


def nested_if_ends_loop(a, b, c):
    while z(c):
        if a:
            if b:
                g(a)
            else:
                h(b)
            k()


def nested_if_in_try(a, b, c):
    try:
        if a:
            if b:
                g(a)
            else:
                h(b)
            k()
    except OSError:
        z(a)
    return a


def nested_if_in_finally(a, b, c):
    try:
        z(a)
    finally:
        if a:
            if b:
                g(a)
            else:
                h(b)
            k()


def nested_if_in_with(a, b, c):
    with z(c):
        if a:
            if b:
                g(a)
            else:
                h(b)
            k()
    return a


def nested_if_in_if(a, b, c):
    if z(c):
        if a:
            if b:
                g(a)
            else:
                h(b)
            k()
    else:
        z(b)
    return a


def if_and_then(a, b, c):
    if a and b:
        g(a)
    return z(a)


def if_and_last(a, b, c):
    if a and b:
        g(a)


def if_and_in_loop(a, b, c):
    for w in c:
        if a and b:
            g(a)
        z(w)


def if_and_ends_loop(a, b, c):
    while z(c):
        if a and b:
            g(a)


def if_and_in_try(a, b, c):
    try:
        if a and b:
            g(a)
    except OSError:
        z(a)
    return a


def if_and_in_finally(a, b, c):
    try:
        z(a)
    finally:
        if a and b:
            g(a)


def if_and_in_with(a, b, c):
    with z(c):
        if a and b:
            g(a)
    return a


def if_and_in_if(a, b, c):
    if z(c):
        if a and b:
            g(a)
    else:
        z(b)
    return a


def if_or_and_not_then(a, b, c):
    if a or (b and (not c)):
        g(a)
    else:
        h(b)
    return z(a)


def if_or_and_not_last(a, b, c):
    if a or (b and (not c)):
        g(a)
    else:
        h(b)


def if_or_and_not_in_loop(a, b, c):
    for w in c:
        if a or (b and (not c)):
            g(a)
        else:
            h(b)
        z(w)


def if_or_and_not_ends_loop(a, b, c):
    while z(c):
        if a or (b and (not c)):
            g(a)
        else:
            h(b)


def if_or_and_not_in_try(a, b, c):
    try:
        if a or (b and (not c)):
            g(a)
        else:
            h(b)
    except OSError:
        z(a)
    return a


def if_or_and_not_in_finally(a, b, c):
    try:
        z(a)
    finally:
        if a or (b and (not c)):
            g(a)
        else:
            h(b)


def if_or_and_not_in_with(a, b, c):
    with z(c):
        if a or (b and (not c)):
            g(a)
        else:
            h(b)
    return a


def if_or_and_not_in_if(a, b, c):
    if z(c):
        if a or (b and (not c)):
            g(a)
        else:
            h(b)
    else:
        z(b)
    return a


def if_chain_then(a, b, c):
    if a < b <= c:
        g(a)
    else:
        h(b)
    return z(a)


def if_chain_last(a, b, c):
    if a < b <= c:
        g(a)
    else:
        h(b)


def if_chain_in_loop(a, b, c):
    for w in c:
        if a < b <= c:
            g(a)
        else:
            h(b)
        z(w)


def if_chain_ends_loop(a, b, c):
    while z(c):
        if a < b <= c:
            g(a)
        else:
            h(b)


def if_chain_in_try(a, b, c):
    try:
        if a < b <= c:
            g(a)
        else:
            h(b)
    except OSError:
        z(a)
    return a


def if_chain_in_finally(a, b, c):
    try:
        z(a)
    finally:
        if a < b <= c:
            g(a)
        else:
            h(b)


def if_chain_in_with(a, b, c):
    with z(c):
        if a < b <= c:
            g(a)
        else:
            h(b)
    return a


def if_chain_in_if(a, b, c):
    if z(c):
        if a < b <= c:
            g(a)
        else:
            h(b)
    else:
        z(b)
    return a


def if_is_none_then(a, b, c):
    if a is None:
        g(a)
    return z(a)


def if_is_none_last(a, b, c):
    if a is None:
        g(a)


def if_is_none_in_loop(a, b, c):
    for w in c:
        if a is None:
            g(a)
        z(w)


def if_is_none_ends_loop(a, b, c):
    while z(c):
        if a is None:
            g(a)


def if_is_none_in_try(a, b, c):
    try:
        if a is None:
            g(a)
    except OSError:
        z(a)
    return a


def if_is_none_in_finally(a, b, c):
    try:
        z(a)
    finally:
        if a is None:
            g(a)


def if_is_none_in_with(a, b, c):
    with z(c):
        if a is None:
            g(a)
    return a


def if_is_none_in_if(a, b, c):
    if z(c):
        if a is None:
            g(a)
    else:
        z(b)
    return a


def if_walrus_then(a, b, c):
    if (n := g(a)) > b:
        h(n)
    return z(a)


def if_walrus_last(a, b, c):
    if (n := g(a)) > b:
        h(n)


def if_walrus_in_loop(a, b, c):
    for w in c:
        if (n := g(a)) > b:
            h(n)
        z(w)


def if_walrus_ends_loop(a, b, c):
    while z(c):
        if (n := g(a)) > b:
            h(n)


def if_walrus_in_try(a, b, c):
    try:
        if (n := g(a)) > b:
            h(n)
    except OSError:
        z(a)
    return a


def if_walrus_in_finally(a, b, c):
    try:
        z(a)
    finally:
        if (n := g(a)) > b:
            h(n)


def if_walrus_in_with(a, b, c):
    with z(c):
        if (n := g(a)) > b:
            h(n)
    return a


def if_walrus_in_if(a, b, c):
    if z(c):
        if (n := g(a)) > b:
            h(n)
    else:
        z(b)
    return a
