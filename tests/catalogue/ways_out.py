# finally suites that end in a choice, and returns through them


def returned_through_a_choice(old, f):
    try:
        return f(old)
    finally:
        if old is None:
            f.pop('x')
        else:
            f['x'] = old


def returned_through_a_test(old, f):
    try:
        return f(old)
    finally:
        if old is None:
            f.pop('x')


def constant_through_a_test(old, f):
    try:
        return 4
    finally:
        if old is None:
            f.pop('x')


def constant_and_more_after(old, f):
    try:
        if f(1):
            return 4
        f(2)
    finally:
        if old is None:
            f.pop('x')
    f(3)


def returned_from_everywhere(old, plugins):
    try:
        foo()
        try:
            config = _prepareconfig(plugins)
        except ConftestImportFailure as e:
            print_conftest_import_error(e)
            return ExitCode.USAGE_ERROR
        try:
            return config.hook(config=config)
        finally:
            config._ensure_unconfigure()
    except UsageError as e:
        print_usage_error(e)
        return 4
    finally:
        if old is None:
            foo.pop('x')
        else:
            foo['x'] = old


def returned_from_a_clause(old, plugins):
    try:
        try:
            config = _prepareconfig(plugins)
        except ConftestImportFailure as e:
            print_conftest_import_error(e)
            return ExitCode.USAGE_ERROR
    finally:
        if old is None:
            foo.pop('x')
        else:
            foo['x'] = old


def constant_from_a_clause(old, plugins):
    try:
        foo()
        return config.hook(config=config)
    except UsageError as e:
        print_usage_error(e)
        return 4
    finally:
        if old is None:
            foo.pop('x')
        else:
            foo['x'] = old


def clauses_that_go_on_to_a_return(path):
    try:
        return os.listdir(path)
    except (PermissionError, NotADirectoryError):
        pass
    except OSError as e:
        if e.errno not in (errno.ENOTDIR, errno.EACCES, errno.ENOENT):
            raise
    return ()


def clauses_that_go_on_to_none(tx, args, kwargs):
    try:
        return self_handler(tx)
    except TypeError:
        try:
            inspect(tx, *args)
        except TypeError as e:
            foo(e)
        else:
            raise
    except Unsupported as exc:
        exc.remove()
    return None


def return_after_a_finally(a, m):
    if a.is_b(m):
        a.s(m, False)
        try:
            a.copy(m)
        finally:
            a.s(m, True)
        return
    h = 4096
    while 1:
        h.foo()
        if h.bar:
            return


def return_of_two_arms_in_a_loop(self, state):
    while True:
        action = state.a()
        if action == 's':
            state.step = True
            if state.arg:
                try:
                    count = int(state.arg)
                    state.step_count = count - 1
                except ValueError:
                    print(f"Invalid count: {arg}")
                    continue
            else:
                state.step_count = 0
            return
        elif action == 'n':
            self.next = 3
            return
        elif action == 'c':
            self.next = 4
            return
        state.b()


def choice_in_a_test_before_a_try(self, inline, src):
    if src is None:
        if (self.g is True) or (self.g == 'inline' if inline else self.g == 'block'):
            try:
                lexer = guess(src)
            except Exception:
                pass
    if src is None:
        return 3


def continue_after_a_chained_comparison(tokens):
    for tok, n in tokens:
        if tok.a:
            foo()
        elif n.b:
            foo(n)
            if tok[0] == n[0] == OP and tok[1] == '*' and n[1] == '(':
                n.x = False
                del exponent[-1]
            continue
        bar()


def continue_after_several_tests(tokens, f):
    for p in tokens:
        if p.kind == 'x' and not (p.default or p.k and f) and p.z:
            continue
        f(p)


def continue_unless_between(r, a):
    while True:
        u = r()
        if not 1 < u < 2:
            continue
        a(u)


def deletion_and_return_after_a_with(family):
    with socket(family) as sock:
        port = bind(sock)
    del sock
    return port


async def assignment_at_the_end_after_an_async_with(a):
    async with a:
        x = 1
    y = 2


async def raise_after_async_withs(a):
    async with a():
        pass
    async with a() as x, a() as y:
        pass
    raise Done


def comparison_of_four_in_a_call_at_the_end(self, a, b, c, d):
    self.f(a is b() is c is d)


def test_at_the_beginning_of_a_finally(a, b):
    try:
        a.f(-1, ('a', 'b'), -3)
    finally:
        if a is not None:
            b['TZ'] = a
        b()


def loop_at_the_beginning_of_a_finally(a, b):
    try:
        return a(b)
    finally:
        while b:
            b.pop()()


def break_at_the_end_of_a_with(f, a):
    while True:
        a += 1
        with f():
            a += 10
            break
        a += 100
    f(a)


async def break_at_the_end_of_an_async_with(f, a):
    while True:
        a += 1
        async with f():
            a += 10
            break
        a += 100
    f(a)


def finally_after_an_else_that_breaks(a, f, g):
    while True:
        count = None
        with a:
            count = 0
            try:
                f()
            except OSError:
                count += 1
            else:
                break
            finally:
                count = None
        g()
    g(count)


def try_in_a_finally_in_a_with(self):
    with td() as td:
        fn = 1
        try:
            yield fn
        finally:
            try:
                os.unlink(fn)
            except OSError:
                pass


def withs_with_nothing_in_them(f, a):
    for x in a:
        with f(x):
            pass
        with f(a), f(x):
            pass
