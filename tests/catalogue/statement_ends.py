# Where a statement ends, and what says so in a word


def else_of_a_try_whose_clauses_leave(self, d, key, default):
    try:
        value = self[key]
    except KeyError:
        if default is d:
            raise
        return default
    else:
        del self[key]
        return value


def after_an_else_that_raises(self, key):
    if self.a == key:
        self.b = key
    else:
        raise Can()
    self.send(key)
    self.more(key)


def after_two_elses_that_raise(self, key):
    if self.a == key:
        if key:
            self.b = key
        else:
            raise Could()
    else:
        raise Can()
    self.send(key)
    self.more(key)


def after_an_inner_else_that_raises(self, key):
    if self.a == key:
        if key:
            self.b = key
        else:
            raise Could()
        self.send(key)
    else:
        raise Can()
    self.more(key)


def after_an_else_of_a_try(self, key):
    try:
        x = self.a()
    except KeyError:
        raise V
    else:
        self.b(x)
        x.a = 4
    self.more(key)
    return self.l(key)


def after_an_else_that_breaks(self, key):
    for x in key:
        if x.a:
            b = x.b
        else:
            break
        self.more(key)
        self.foo(b)
    return self.l(key)


def after_an_else_that_continues(self, key):
    for x in key:
        if x.a:
            b = x.b
        else:
            self.foo()
            continue
        self.more(key)
        self.foo(b)
    return self.l(key)


def after_an_else_that_returns(self, key):
    if x.a:
        for k in self:
            k()
    elif self.b:
        k = 2
    else:
        return self.l(key)
    self.more(key)
    self.foo(b)


def return_at_the_end_of_an_endless_loop(a, b):
    while True:
        p = a.pos
        q = a.skip()
        if p == q:
            return p


def break_in_an_endless_loop(a, b):
    while True:
        p = a.pos
        q = a.skip()
        if p == q:
            break
        a.foo()
    return p


def break_at_the_end_of_an_endless_loop(a, b):
    while True:
        p = a.pos
        q = a.skip()
        if p == q:
            break
    return p


def break_before_a_raise(unpack):
    found = []
    while True:
        x = unpack()
        if x == 0:
            break
        if x != 1:
            raise ConversionError(x)
        item = unpack_item()
        found.append(item)
    return found


def break_to_more_statements(q):
    pw = ''
    while True:
        c = q()
        if c == '\r' or c == '\n':
            break
        if c == 'c':
            raise KeyError
        if c == 'b':
            pw = pw[:-1]
        else:
            pw = pw + c
    q('\r')
    q('\n')
    return pw


def continue_after_either(q, f):
    for line in q:
        line = f(line)
        if line.startswith('#') or not line:
            continue
        f.append(line)


def continue_after_one_of_three(q, f):
    for line in q:
        if line == 1 or line == 2 or line is None:
            continue
        try:
            if f(line):
                return 3
        except AttributeError:
            pass
    return 'x'


def continue_before_a_break(h, n, pos, s):
    while pos > s:
        p = pos - 1 >> 1
        parent = h[p]
        if n < parent:
            h[pos] = parent
            pos = p
            continue
        break
    h[pos] = n


def continue_after_neither(self, g):
    for getter in g:
        m = self.g(getter)
        if not m or not callable(g):
            continue
        self.x[m] = None


def continue_in_a_clause(self, g):
    while True:
        k = g()
        try:
            return k[g]
        except StopIteration:
            return None
        except KeyError:
            continue


def pass_in_a_clause(self, g):
    for k in g:
        try:
            return k[g]
        except StopIteration:
            return None
        except KeyError:
            pass


def two_arms_at_the_end(self, g):
    while True:
        k = g()
        if k:
            self.a()
        else:
            self.b()


def continue_before_more(self, g):
    for k in g:
        if k:
            self.a()
        elif g:
            self.b()
            if g.k:
                self.c()
                continue
            self.d()


def pass_before_else(g):
    for a in g:
        if a == 1 and g.foo:
            pass
        else:
            g.bar(a)


def return_before_another_try(self, a, f):
    try:
        b = self.get(a)
    except:
        return
    try:
        self.tell(f(b))
    except:
        self.fail()


def return_before_a_try_that_returns(a, b):
    try:
        import os
    except ImportError:
        return None
    try:
        return os.popen(a)
    except (OSError, ValueError):
        b()


def continue_before_the_rest_of_a_while(self):
    while not self.stopped():
        try:
            a = self.accept()
        except OSError:
            continue
        a.daemon = True
        a.start()


def else_that_is_the_rest_of_a_while(self):
    while not self.stopped():
        try:
            a = self.accept()
        except OSError:
            pass
        else:
            a.daemon = True
            a.start()


def continue_before_a_test(a):
    for b in range(60):
        try:
            c = a()
        except:
            continue
        if c is not None and c < b:
            return c
    assert False


def else_with_a_test(a):
    for b in range(60):
        try:
            c = a()
        except:
            pass
        else:
            if c is not None and c < b:
                return c
    assert False


def continue_before_a_with(a, b):
    while b():
        try:
            c = a()
        except OSError:
            continue
        with c:
            b()


def try_that_ends_in_an_if(self, a):
    try:
        self.stop(wait=True)
        if not self.closed():
            self.call(a)
    except Exception as ex:
        if not self.closed() and not a.closed():
            self.call(ex)


def pass_before_a_raise(a, f):
    try:
        try:
            f(a)
        except ValueError as exc:
            if exc.name == 'b':
                pass
            else:
                raise
    except Exception as err:
        if a:
            f(err)
        else:
            f(a)


def pass_before_a_raise_in_clauses(self, a):
    if a:
        try:
            self.write(a)
        except BrokenPipeError:
            pass
        except OSError as exc:
            if exc.errno == 3:
                pass
            else:
                raise
    self.close()
    return self


def pass_before_two_raises(self, a):
    try:
        self.write(a)
    except OSError as exc:
        if exc.errno == 3 and not a:
            pass
        elif exc.errno == 4:
            pass
        else:
            raise
    return self
