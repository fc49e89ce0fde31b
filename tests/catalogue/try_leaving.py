# `try` that control leaves by return, raise, break or continue


def try_return_last(a, b, c):
    try:
        return g(a)
    except KeyError:
        return h(b)


def try_return_in_loop(a, b, c):
    for w in c:
        try:
            return g(a)
        except KeyError:
            return h(b)


def try_return_in_try(a, b, c):
    try:
        try:
            return g(a)
        except KeyError:
            return h(b)
    except OSError:
        return z(a)


def try_return_in_finally(a, b, c):
    try:
        z(a)
    finally:
        try:
            return g(a)
        except KeyError:
            return h(b)


def try_return_in_with(a, b, c):
    with z(c):
        try:
            return g(a)
        except KeyError:
            return h(b)


def try_return_in_if(a, b, c):
    if z(c):
        try:
            return g(a)
        except KeyError:
            return h(b)
    z(b)
    return a


def try_return_or_fall_last(a, b, c):
    try:
        return g(a)
    except KeyError:
        h(b)
    return k()


def try_return_or_fall_in_loop(a, b, c):
    for w in c:
        try:
            return g(a)
        except KeyError:
            h(b)
        return k()


def try_return_or_fall_in_try(a, b, c):
    try:
        try:
            return g(a)
        except KeyError:
            h(b)
        return k()
    except OSError:
        return z(a)


def try_return_or_fall_in_finally(a, b, c):
    try:
        z(a)
    finally:
        try:
            return g(a)
        except KeyError:
            h(b)
        return k()


def try_return_or_fall_in_with(a, b, c):
    with z(c):
        try:
            return g(a)
        except KeyError:
            h(b)
        return k()


def try_return_or_fall_in_if(a, b, c):
    if z(c):
        try:
            return g(a)
        except KeyError:
            h(b)
        return k()
    z(b)
    return a


def handler_returns_last(a, b, c):
    try:
        x = g(a)
    except KeyError:
        return h(b)
    return x


def handler_returns_in_loop(a, b, c):
    for w in c:
        try:
            x = g(a)
        except KeyError:
            return h(b)
        return x


def handler_returns_in_try(a, b, c):
    try:
        try:
            x = g(a)
        except KeyError:
            return h(b)
        return x
    except OSError:
        return z(a)


def handler_returns_in_finally(a, b, c):
    try:
        z(a)
    finally:
        try:
            x = g(a)
        except KeyError:
            return h(b)
        return x


def handler_returns_in_with(a, b, c):
    with z(c):
        try:
            x = g(a)
        except KeyError:
            return h(b)
        return x


def handler_returns_in_if(a, b, c):
    if z(c):
        try:
            x = g(a)
        except KeyError:
            return h(b)
        return x
    z(b)
    return a


def handler_raises_last(a, b, c):
    try:
        return g(a)
    except KeyError:
        h(b)
        raise


def handler_raises_in_loop(a, b, c):
    for w in c:
        try:
            return g(a)
        except KeyError:
            h(b)
            raise


def handler_raises_in_try(a, b, c):
    try:
        try:
            return g(a)
        except KeyError:
            h(b)
            raise
    except OSError:
        return z(a)


def handler_raises_in_finally(a, b, c):
    try:
        z(a)
    finally:
        try:
            return g(a)
        except KeyError:
            h(b)
            raise


def handler_raises_in_with(a, b, c):
    with z(c):
        try:
            return g(a)
        except KeyError:
            h(b)
            raise


def handler_raises_in_if(a, b, c):
    if z(c):
        try:
            return g(a)
        except KeyError:
            h(b)
            raise
    z(b)
    return a


def finally_return_in_body_last(a, b, c):
    try:
        return g(a)
    finally:
        h(b)


def finally_return_in_body_in_loop(a, b, c):
    for w in c:
        try:
            return g(a)
        finally:
            h(b)


def finally_return_in_body_in_try(a, b, c):
    try:
        try:
            return g(a)
        finally:
            h(b)
    except OSError:
        return z(a)


def finally_return_in_body_in_finally(a, b, c):
    try:
        z(a)
    finally:
        try:
            return g(a)
        finally:
            h(b)


def finally_return_in_body_in_with(a, b, c):
    with z(c):
        try:
            return g(a)
        finally:
            h(b)


def finally_return_in_body_in_if(a, b, c):
    if z(c):
        try:
            return g(a)
        finally:
            h(b)
    z(b)
    return a


def finally_returns_last(a, b, c):
    try:
        g(a)
    finally:
        return h(b)


def finally_returns_in_loop(a, b, c):
    for w in c:
        try:
            g(a)
        finally:
            return h(b)


def finally_returns_in_try(a, b, c):
    try:
        try:
            g(a)
        finally:
            return h(b)
    except OSError:
        return z(a)


def finally_returns_in_finally(a, b, c):
    try:
        z(a)
    finally:
        try:
            g(a)
        finally:
            return h(b)


def finally_returns_in_with(a, b, c):
    with z(c):
        try:
            g(a)
        finally:
            return h(b)


def finally_returns_in_if(a, b, c):
    if z(c):
        try:
            g(a)
        finally:
            return h(b)
    z(b)
    return a


def finally_two_returns_last(a, b, c):
    try:
        if a:
            return g(a)
        return h(b)
    finally:
        k()


def finally_two_returns_in_loop(a, b, c):
    for w in c:
        try:
            if a:
                return g(a)
            return h(b)
        finally:
            k()


def finally_two_returns_in_try(a, b, c):
    try:
        try:
            if a:
                return g(a)
            return h(b)
        finally:
            k()
    except OSError:
        return z(a)


def finally_two_returns_in_finally(a, b, c):
    try:
        z(a)
    finally:
        try:
            if a:
                return g(a)
            return h(b)
        finally:
            k()


def finally_two_returns_in_with(a, b, c):
    with z(c):
        try:
            if a:
                return g(a)
            return h(b)
        finally:
            k()


def finally_two_returns_in_if(a, b, c):
    if z(c):
        try:
            if a:
                return g(a)
            return h(b)
        finally:
            k()
    z(b)
    return a


def except_finally_return_last(a, b, c):
    try:
        return g(a)
    except KeyError:
        return h(b)
    finally:
        k()


def except_finally_return_in_loop(a, b, c):
    for w in c:
        try:
            return g(a)
        except KeyError:
            return h(b)
        finally:
            k()


def except_finally_return_in_try(a, b, c):
    try:
        try:
            return g(a)
        except KeyError:
            return h(b)
        finally:
            k()
    except OSError:
        return z(a)


def except_finally_return_in_finally(a, b, c):
    try:
        z(a)
    finally:
        try:
            return g(a)
        except KeyError:
            return h(b)
        finally:
            k()


def except_finally_return_in_with(a, b, c):
    with z(c):
        try:
            return g(a)
        except KeyError:
            return h(b)
        finally:
            k()


def except_finally_return_in_if(a, b, c):
    if z(c):
        try:
            return g(a)
        except KeyError:
            return h(b)
        finally:
            k()
    z(b)
    return a


def try_return_constant_last(a, b, c):
    try:
        g(a)
    except KeyError as error:
        return 1
    return 2


def try_return_constant_in_loop(a, b, c):
    for w in c:
        try:
            g(a)
        except KeyError as error:
            return 1
        return 2


def try_return_constant_in_try(a, b, c):
    try:
        try:
            g(a)
        except KeyError as error:
            return 1
        return 2
    except OSError:
        return z(a)


def try_return_constant_in_finally(a, b, c):
    try:
        z(a)
    finally:
        try:
            g(a)
        except KeyError as error:
            return 1
        return 2


def try_return_constant_in_with(a, b, c):
    with z(c):
        try:
            g(a)
        except KeyError as error:
            return 1
        return 2


def try_return_constant_in_if(a, b, c):
    if z(c):
        try:
            g(a)
        except KeyError as error:
            return 1
        return 2
    z(b)
    return a


def finally_break_last(a, b, c):
    for x in a:
        try:
            if x:
                break
            g(x)
        finally:
            h(x)
    return b


def finally_break_in_loop(a, b, c):
    for w in c:
        for x in a:
            try:
                if x:
                    break
                g(x)
            finally:
                h(x)
        return b


def finally_break_in_try(a, b, c):
    try:
        for x in a:
            try:
                if x:
                    break
                g(x)
            finally:
                h(x)
        return b
    except OSError:
        z(a)
    return a


def finally_break_in_finally(a, b, c):
    try:
        z(a)
    finally:
        for x in a:
            try:
                if x:
                    break
                g(x)
            finally:
                h(x)
        return b


def finally_break_in_with(a, b, c):
    with z(c):
        for x in a:
            try:
                if x:
                    break
                g(x)
            finally:
                h(x)
        return b
    return a


def finally_break_in_if(a, b, c):
    if z(c):
        for x in a:
            try:
                if x:
                    break
                g(x)
            finally:
                h(x)
        return b
    z(b)
    return a


def finally_continue_last(a, b, c):
    for x in a:
        try:
            if x:
                continue
            g(x)
        finally:
            h(x)
        k()


def finally_continue_in_loop(a, b, c):
    for w in c:
        for x in a:
            try:
                if x:
                    continue
                g(x)
            finally:
                h(x)
            k()


def finally_continue_in_try(a, b, c):
    try:
        for x in a:
            try:
                if x:
                    continue
                g(x)
            finally:
                h(x)
            k()
    except OSError:
        z(a)
    return a


def finally_continue_in_finally(a, b, c):
    try:
        z(a)
    finally:
        for x in a:
            try:
                if x:
                    continue
                g(x)
            finally:
                h(x)
            k()


def finally_continue_in_with(a, b, c):
    with z(c):
        for x in a:
            try:
                if x:
                    continue
                g(x)
            finally:
                h(x)
            k()
    return a


def finally_continue_in_if(a, b, c):
    if z(c):
        for x in a:
            try:
                if x:
                    continue
                g(x)
            finally:
                h(x)
            k()
    z(b)
    return a


def except_continue_last(a, b, c):
    for x in a:
        try:
            g(x)
        except KeyError:
            continue
        h(x)


def except_continue_in_loop(a, b, c):
    for w in c:
        for x in a:
            try:
                g(x)
            except KeyError:
                continue
            h(x)


def except_continue_in_try(a, b, c):
    try:
        for x in a:
            try:
                g(x)
            except KeyError:
                continue
            h(x)
    except OSError:
        z(a)
    return a


def except_continue_in_finally(a, b, c):
    try:
        z(a)
    finally:
        for x in a:
            try:
                g(x)
            except KeyError:
                continue
            h(x)


def except_continue_in_with(a, b, c):
    with z(c):
        for x in a:
            try:
                g(x)
            except KeyError:
                continue
            h(x)
    return a


def except_continue_in_if(a, b, c):
    if z(c):
        for x in a:
            try:
                g(x)
            except KeyError:
                continue
            h(x)
    z(b)
    return a


def except_break_last(a, b, c):
    for x in a:
        try:
            g(x)
        except KeyError:
            break
    else:
        h(b)
    return k()


def except_break_in_loop(a, b, c):
    for w in c:
        for x in a:
            try:
                g(x)
            except KeyError:
                break
        else:
            h(b)
        return k()


def except_break_in_try(a, b, c):
    try:
        for x in a:
            try:
                g(x)
            except KeyError:
                break
        else:
            h(b)
        return k()
    except OSError:
        z(a)
    return a


def except_break_in_finally(a, b, c):
    try:
        z(a)
    finally:
        for x in a:
            try:
                g(x)
            except KeyError:
                break
        else:
            h(b)
        return k()


def except_break_in_with(a, b, c):
    with z(c):
        for x in a:
            try:
                g(x)
            except KeyError:
                break
        else:
            h(b)
        return k()
    return a


def except_break_in_if(a, b, c):
    if z(c):
        for x in a:
            try:
                g(x)
            except KeyError:
                break
        else:
            h(b)
        return k()
    z(b)
    return a


def return_in_loop_in_try_last(a, b, c):
    try:
        for x in a:
            if x:
                return x
    finally:
        h(b)
    return k()


def return_in_loop_in_try_in_loop(a, b, c):
    for w in c:
        try:
            for x in a:
                if x:
                    return x
        finally:
            h(b)
        return k()


def return_in_loop_in_try_in_try(a, b, c):
    try:
        try:
            for x in a:
                if x:
                    return x
        finally:
            h(b)
        return k()
    except OSError:
        z(a)
    return a


def return_in_loop_in_try_in_finally(a, b, c):
    try:
        z(a)
    finally:
        try:
            for x in a:
                if x:
                    return x
        finally:
            h(b)
        return k()


def return_in_loop_in_try_in_with(a, b, c):
    with z(c):
        try:
            for x in a:
                if x:
                    return x
        finally:
            h(b)
        return k()
    return a


def return_in_loop_in_try_in_if(a, b, c):
    if z(c):
        try:
            for x in a:
                if x:
                    return x
        finally:
            h(b)
        return k()
    z(b)
    return a


def else_in_a_try_that_returns_a_global(a):
    try:
        try:
            g(a)
        except KeyError:
            h(a)
        else:
            return z
    except ValueError:
        k(a)


def else_in_a_try_that_returns_a_cell(a):
    try:
        try:
            y = lambda: a
        except KeyError:
            y = a
        else:
            return a
    except ValueError as e:
        k(y, e)


def else_that_returns_a_choice_before_a_finally(a, b):
    try:
        g(a)
    except KeyError:
        h(a)
    else:
        return b if a else z
    finally:
        k(a)


def else_that_returns_a_comparison_before_a_finally(a, b):
    try:
        g(a)
    except KeyError as e:
        return e
    else:
        return a < b < z
    finally:
        k(a)


def returns_after_a_name(a):
    try:
        try:
            g(a)
        except E as e:
            return
        try:
            g(a)
        except E as e:
            return
    except E:
        h(b)
    return x


def passes_after_a_name(a):
    try:
        try:
            g(a)
        except E as e:
            pass
    except E as e:
        pass
