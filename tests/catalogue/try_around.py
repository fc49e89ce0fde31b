# `try` followed by something, last, and inside other statements


def try_except_then(a, b, c):
    try:
        g(a)
    except KeyError:
        h(b)
    return z(a)


def try_except_last(a, b, c):
    try:
        g(a)
    except KeyError:
        h(b)


def try_except_in_loop(a, b, c):
    for w in c:
        try:
            g(a)
        except KeyError:
            h(b)
        z(w)


def try_except_ends_loop(a, b, c):
    while z(c):
        try:
            g(a)
        except KeyError:
            h(b)


def try_except_in_try(a, b, c):
    try:
        try:
            g(a)
        except KeyError:
            h(b)
    except OSError:
        z(a)
    return a


def try_except_in_finally(a, b, c):
    try:
        z(a)
    finally:
        try:
            g(a)
        except KeyError:
            h(b)


def try_except_in_with(a, b, c):
    with z(c):
        try:
            g(a)
        except KeyError:
            h(b)
    return a


def try_except_in_if(a, b, c):
    if z(c):
        try:
            g(a)
        except KeyError:
            h(b)
    else:
        z(b)
    return a


def try_except_bare_then(a, b, c):
    try:
        g(a)
    except:
        h(b)
    return z(a)


def try_except_bare_last(a, b, c):
    try:
        g(a)
    except:
        h(b)


def try_except_bare_in_loop(a, b, c):
    for w in c:
        try:
            g(a)
        except:
            h(b)
        z(w)


def try_except_bare_ends_loop(a, b, c):
    while z(c):
        try:
            g(a)
        except:
            h(b)


def try_except_bare_in_try(a, b, c):
    try:
        try:
            g(a)
        except:
            h(b)
    except OSError:
        z(a)
    return a


def try_except_bare_in_finally(a, b, c):
    try:
        z(a)
    finally:
        try:
            g(a)
        except:
            h(b)


def try_except_bare_in_with(a, b, c):
    with z(c):
        try:
            g(a)
        except:
            h(b)
    return a


def try_except_bare_in_if(a, b, c):
    if z(c):
        try:
            g(a)
        except:
            h(b)
    else:
        z(b)
    return a


def try_except_as_then(a, b, c):
    try:
        g(a)
    except (KeyError, ValueError) as error:
        h(error)
    return z(a)


def try_except_as_last(a, b, c):
    try:
        g(a)
    except (KeyError, ValueError) as error:
        h(error)


def try_except_as_in_loop(a, b, c):
    for w in c:
        try:
            g(a)
        except (KeyError, ValueError) as error:
            h(error)
        z(w)


def try_except_as_ends_loop(a, b, c):
    while z(c):
        try:
            g(a)
        except (KeyError, ValueError) as error:
            h(error)


def try_except_as_in_try(a, b, c):
    try:
        try:
            g(a)
        except (KeyError, ValueError) as error:
            h(error)
    except OSError:
        z(a)
    return a


def try_except_as_in_finally(a, b, c):
    try:
        z(a)
    finally:
        try:
            g(a)
        except (KeyError, ValueError) as error:
            h(error)


def try_except_as_in_with(a, b, c):
    with z(c):
        try:
            g(a)
        except (KeyError, ValueError) as error:
            h(error)
    return a


def try_except_as_in_if(a, b, c):
    if z(c):
        try:
            g(a)
        except (KeyError, ValueError) as error:
            h(error)
    else:
        z(b)
    return a


def try_two_handlers_then(a, b, c):
    try:
        g(a)
    except KeyError:
        h(b)
    except ValueError as error:
        k(error)
    return z(a)


def try_two_handlers_last(a, b, c):
    try:
        g(a)
    except KeyError:
        h(b)
    except ValueError as error:
        k(error)


def try_two_handlers_in_loop(a, b, c):
    for w in c:
        try:
            g(a)
        except KeyError:
            h(b)
        except ValueError as error:
            k(error)
        z(w)


def try_two_handlers_ends_loop(a, b, c):
    while z(c):
        try:
            g(a)
        except KeyError:
            h(b)
        except ValueError as error:
            k(error)


def try_two_handlers_in_try(a, b, c):
    try:
        try:
            g(a)
        except KeyError:
            h(b)
        except ValueError as error:
            k(error)
    except OSError:
        z(a)
    return a


def try_two_handlers_in_finally(a, b, c):
    try:
        z(a)
    finally:
        try:
            g(a)
        except KeyError:
            h(b)
        except ValueError as error:
            k(error)


def try_two_handlers_in_with(a, b, c):
    with z(c):
        try:
            g(a)
        except KeyError:
            h(b)
        except ValueError as error:
            k(error)
    return a


def try_two_handlers_in_if(a, b, c):
    if z(c):
        try:
            g(a)
        except KeyError:
            h(b)
        except ValueError as error:
            k(error)
    else:
        z(b)
    return a


def try_else_then(a, b, c):
    try:
        g(a)
    except KeyError:
        h(b)
    else:
        k()
    return z(a)


def try_else_last(a, b, c):
    try:
        g(a)
    except KeyError:
        h(b)
    else:
        k()


def try_else_in_loop(a, b, c):
    for w in c:
        try:
            g(a)
        except KeyError:
            h(b)
        else:
            k()
        z(w)


def try_else_ends_loop(a, b, c):
    while z(c):
        try:
            g(a)
        except KeyError:
            h(b)
        else:
            k()


def try_else_in_try(a, b, c):
    try:
        try:
            g(a)
        except KeyError:
            h(b)
        else:
            k()
    except OSError:
        z(a)
    return a


def try_else_in_finally(a, b, c):
    try:
        z(a)
    finally:
        try:
            g(a)
        except KeyError:
            h(b)
        else:
            k()


def try_else_in_with(a, b, c):
    with z(c):
        try:
            g(a)
        except KeyError:
            h(b)
        else:
            k()
    return a


def try_else_in_if(a, b, c):
    if z(c):
        try:
            g(a)
        except KeyError:
            h(b)
        else:
            k()
    else:
        z(b)
    return a


def try_finally_then(a, b, c):
    try:
        g(a)
    finally:
        h(b)
    return z(a)


def try_finally_last(a, b, c):
    try:
        g(a)
    finally:
        h(b)


def try_finally_in_loop(a, b, c):
    for w in c:
        try:
            g(a)
        finally:
            h(b)
        z(w)


def try_finally_ends_loop(a, b, c):
    while z(c):
        try:
            g(a)
        finally:
            h(b)


def try_finally_in_try(a, b, c):
    try:
        try:
            g(a)
        finally:
            h(b)
    except OSError:
        z(a)
    return a


def try_finally_in_finally(a, b, c):
    try:
        z(a)
    finally:
        try:
            g(a)
        finally:
            h(b)


def try_finally_in_with(a, b, c):
    with z(c):
        try:
            g(a)
        finally:
            h(b)
    return a


def try_finally_in_if(a, b, c):
    if z(c):
        try:
            g(a)
        finally:
            h(b)
    else:
        z(b)
    return a


def try_except_finally_then(a, b, c):
    try:
        g(a)
    except KeyError:
        h(b)
    finally:
        k()
    return z(a)


def try_except_finally_last(a, b, c):
    try:
        g(a)
    except KeyError:
        h(b)
    finally:
        k()


def try_except_finally_in_loop(a, b, c):
    for w in c:
        try:
            g(a)
        except KeyError:
            h(b)
        finally:
            k()
        z(w)


def try_except_finally_ends_loop(a, b, c):
    while z(c):
        try:
            g(a)
        except KeyError:
            h(b)
        finally:
            k()


def try_except_finally_in_try(a, b, c):
    try:
        try:
            g(a)
        except KeyError:
            h(b)
        finally:
            k()
    except OSError:
        z(a)
    return a


def try_except_finally_in_finally(a, b, c):
    try:
        z(a)
    finally:
        try:
            g(a)
        except KeyError:
            h(b)
        finally:
            k()


def try_except_finally_in_with(a, b, c):
    with z(c):
        try:
            g(a)
        except KeyError:
            h(b)
        finally:
            k()
    return a


def try_except_finally_in_if(a, b, c):
    if z(c):
        try:
            g(a)
        except KeyError:
            h(b)
        finally:
            k()
    else:
        z(b)
    return a


def try_all_then(a, b, c):
    try:
        g(a)
    except KeyError as error:
        h(error)
    except:
        raise
    else:
        k()
    finally:
        m(b)
    return z(a)


def try_all_last(a, b, c):
    try:
        g(a)
    except KeyError as error:
        h(error)
    except:
        raise
    else:
        k()
    finally:
        m(b)


def try_all_in_loop(a, b, c):
    for w in c:
        try:
            g(a)
        except KeyError as error:
            h(error)
        except:
            raise
        else:
            k()
        finally:
            m(b)
        z(w)


def try_all_ends_loop(a, b, c):
    while z(c):
        try:
            g(a)
        except KeyError as error:
            h(error)
        except:
            raise
        else:
            k()
        finally:
            m(b)


def try_all_in_try(a, b, c):
    try:
        try:
            g(a)
        except KeyError as error:
            h(error)
        except:
            raise
        else:
            k()
        finally:
            m(b)
    except OSError:
        z(a)
    return a


def try_all_in_finally(a, b, c):
    try:
        z(a)
    finally:
        try:
            g(a)
        except KeyError as error:
            h(error)
        except:
            raise
        else:
            k()
        finally:
            m(b)


def try_all_in_with(a, b, c):
    with z(c):
        try:
            g(a)
        except KeyError as error:
            h(error)
        except:
            raise
        else:
            k()
        finally:
            m(b)
    return a


def try_all_in_if(a, b, c):
    if z(c):
        try:
            g(a)
        except KeyError as error:
            h(error)
        except:
            raise
        else:
            k()
        finally:
            m(b)
    else:
        z(b)
    return a


def try_reraise_then(a, b, c):
    try:
        g(a)
    except KeyError as error:
        raise ValueError(b) from error
    return z(a)


def try_reraise_last(a, b, c):
    try:
        g(a)
    except KeyError as error:
        raise ValueError(b) from error


def try_reraise_in_loop(a, b, c):
    for w in c:
        try:
            g(a)
        except KeyError as error:
            raise ValueError(b) from error
        z(w)


def try_reraise_ends_loop(a, b, c):
    while z(c):
        try:
            g(a)
        except KeyError as error:
            raise ValueError(b) from error


def try_reraise_in_try(a, b, c):
    try:
        try:
            g(a)
        except KeyError as error:
            raise ValueError(b) from error
    except OSError:
        z(a)
    return a


def try_reraise_in_finally(a, b, c):
    try:
        z(a)
    finally:
        try:
            g(a)
        except KeyError as error:
            raise ValueError(b) from error


def try_reraise_in_with(a, b, c):
    with z(c):
        try:
            g(a)
        except KeyError as error:
            raise ValueError(b) from error
    return a


def try_reraise_in_if(a, b, c):
    if z(c):
        try:
            g(a)
        except KeyError as error:
            raise ValueError(b) from error
    else:
        z(b)
    return a


def try_in_try_then(a, b, c):
    try:
        try:
            g(a)
        except KeyError:
            h(b)
    except ValueError:
        k()
    return z(a)


def try_in_try_last(a, b, c):
    try:
        try:
            g(a)
        except KeyError:
            h(b)
    except ValueError:
        k()


def try_in_try_in_loop(a, b, c):
    for w in c:
        try:
            try:
                g(a)
            except KeyError:
                h(b)
        except ValueError:
            k()
        z(w)


def try_in_try_ends_loop(a, b, c):
    while z(c):
        try:
            try:
                g(a)
            except KeyError:
                h(b)
        except ValueError:
            k()


def try_in_try_in_try(a, b, c):
    try:
        try:
            try:
                g(a)
            except KeyError:
                h(b)
        except ValueError:
            k()
    except OSError:
        z(a)
    return a


def try_in_try_in_finally(a, b, c):
    try:
        z(a)
    finally:
        try:
            try:
                g(a)
            except KeyError:
                h(b)
        except ValueError:
            k()


def try_in_try_in_with(a, b, c):
    with z(c):
        try:
            try:
                g(a)
            except KeyError:
                h(b)
        except ValueError:
            k()
    return a


def try_in_try_in_if(a, b, c):
    if z(c):
        try:
            try:
                g(a)
            except KeyError:
                h(b)
        except ValueError:
            k()
    else:
        z(b)
    return a


def try_in_handler_then(a, b, c):
    try:
        g(a)
    except KeyError:
        try:
            h(b)
        except ValueError:
            k()
    return z(a)


def try_in_handler_last(a, b, c):
    try:
        g(a)
    except KeyError:
        try:
            h(b)
        except ValueError:
            k()


def try_in_handler_in_loop(a, b, c):
    for w in c:
        try:
            g(a)
        except KeyError:
            try:
                h(b)
            except ValueError:
                k()
        z(w)


def try_in_handler_ends_loop(a, b, c):
    while z(c):
        try:
            g(a)
        except KeyError:
            try:
                h(b)
            except ValueError:
                k()


def try_in_handler_in_try(a, b, c):
    try:
        try:
            g(a)
        except KeyError:
            try:
                h(b)
            except ValueError:
                k()
    except OSError:
        z(a)
    return a


def try_in_handler_in_finally(a, b, c):
    try:
        z(a)
    finally:
        try:
            g(a)
        except KeyError:
            try:
                h(b)
            except ValueError:
                k()


def try_in_handler_in_with(a, b, c):
    with z(c):
        try:
            g(a)
        except KeyError:
            try:
                h(b)
            except ValueError:
                k()
    return a


def try_in_handler_in_if(a, b, c):
    if z(c):
        try:
            g(a)
        except KeyError:
            try:
                h(b)
            except ValueError:
                k()
    else:
        z(b)
    return a


def try_pass_then(a, b, c):
    try:
        g(a)
    except KeyError:
        pass
    return z(a)


def try_pass_last(a, b, c):
    try:
        g(a)
    except KeyError:
        pass


def try_pass_in_loop(a, b, c):
    for w in c:
        try:
            g(a)
        except KeyError:
            pass
        z(w)


def try_pass_ends_loop(a, b, c):
    while z(c):
        try:
            g(a)
        except KeyError:
            pass


def try_pass_in_try(a, b, c):
    try:
        try:
            g(a)
        except KeyError:
            pass
    except OSError:
        z(a)
    return a


def try_pass_in_finally(a, b, c):
    try:
        z(a)
    finally:
        try:
            g(a)
        except KeyError:
            pass


def try_pass_in_with(a, b, c):
    with z(c):
        try:
            g(a)
        except KeyError:
            pass
    return a


def try_pass_in_if(a, b, c):
    if z(c):
        try:
            g(a)
        except KeyError:
            pass
    else:
        z(b)
    return a


def finally_with_if_then(a, b, c):
    try:
        g(a)
    finally:
        if b:
            h(b)
    return z(a)


def finally_with_if_last(a, b, c):
    try:
        g(a)
    finally:
        if b:
            h(b)


def finally_with_if_in_loop(a, b, c):
    for w in c:
        try:
            g(a)
        finally:
            if b:
                h(b)
        z(w)


def finally_with_if_ends_loop(a, b, c):
    while z(c):
        try:
            g(a)
        finally:
            if b:
                h(b)


def finally_with_if_in_try(a, b, c):
    try:
        try:
            g(a)
        finally:
            if b:
                h(b)
    except OSError:
        z(a)
    return a


def finally_with_if_in_finally(a, b, c):
    try:
        z(a)
    finally:
        try:
            g(a)
        finally:
            if b:
                h(b)


def finally_with_if_in_with(a, b, c):
    with z(c):
        try:
            g(a)
        finally:
            if b:
                h(b)
    return a


def finally_with_if_in_if(a, b, c):
    if z(c):
        try:
            g(a)
        finally:
            if b:
                h(b)
    else:
        z(b)
    return a


def finally_with_loop_then(a, b, c):
    try:
        g(a)
    finally:
        for x in b:
            h(x)
    return z(a)


def finally_with_loop_last(a, b, c):
    try:
        g(a)
    finally:
        for x in b:
            h(x)


def finally_with_loop_in_loop(a, b, c):
    for w in c:
        try:
            g(a)
        finally:
            for x in b:
                h(x)
        z(w)


def finally_with_loop_ends_loop(a, b, c):
    while z(c):
        try:
            g(a)
        finally:
            for x in b:
                h(x)


def finally_with_loop_in_try(a, b, c):
    try:
        try:
            g(a)
        finally:
            for x in b:
                h(x)
    except OSError:
        z(a)
    return a


def finally_with_loop_in_finally(a, b, c):
    try:
        z(a)
    finally:
        try:
            g(a)
        finally:
            for x in b:
                h(x)


def finally_with_loop_in_with(a, b, c):
    with z(c):
        try:
            g(a)
        finally:
            for x in b:
                h(x)
    return a


def finally_with_loop_in_if(a, b, c):
    if z(c):
        try:
            g(a)
        finally:
            for x in b:
                h(x)
    else:
        z(b)
    return a


def finally_with_try_then(a, b, c):
    try:
        g(a)
    finally:
        try:
            h(b)
        except KeyError:
            k()
    return z(a)


def finally_with_try_last(a, b, c):
    try:
        g(a)
    finally:
        try:
            h(b)
        except KeyError:
            k()


def finally_with_try_in_loop(a, b, c):
    for w in c:
        try:
            g(a)
        finally:
            try:
                h(b)
            except KeyError:
                k()
        z(w)


def finally_with_try_ends_loop(a, b, c):
    while z(c):
        try:
            g(a)
        finally:
            try:
                h(b)
            except KeyError:
                k()


def finally_with_try_in_try(a, b, c):
    try:
        try:
            g(a)
        finally:
            try:
                h(b)
            except KeyError:
                k()
    except OSError:
        z(a)
    return a


def finally_with_try_in_finally(a, b, c):
    try:
        z(a)
    finally:
        try:
            g(a)
        finally:
            try:
                h(b)
            except KeyError:
                k()


def finally_with_try_in_with(a, b, c):
    with z(c):
        try:
            g(a)
        finally:
            try:
                h(b)
            except KeyError:
                k()
    return a


def finally_with_try_in_if(a, b, c):
    if z(c):
        try:
            g(a)
        finally:
            try:
                h(b)
            except KeyError:
                k()
    else:
        z(b)
    return a


def try_with_a_choice_in_a_finally(a, b, c):
    try:
        g(a)
    finally:
        try:
            x = c if a else b
        except KeyError:
            h(b)
    h(x)
