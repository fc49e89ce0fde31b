# parameters, nested functions, closures, classes, decorators


def parameters(a, b, /, c, *d, e, f, **g):
    return (a, b, c, d, e, f, g)


def keyword_only(*, a, b):
    return a + b


def star_arguments(*args, **kwargs):
    return g(*args, **kwargs)


def inner(a):

    def h(x):
        return x
    return h


def inner_defaults(a):

    def h(x, y=a, *z, k=1, m, **n):
        return g(x, y, z, k, m, n)
    return h


def inner_positional_only(a):

    def h(x, y=1, /, z=2):
        return (x, y, z)
    return h


def inner_annotations(a):

    def h(x: int, *y: str, z: a=1, **k: float) -> bool:
        return x
    return h


def inner_decorated(a):

    @a
    @g(a, x=1)
    def h():
        return 1
    return h


def inner_docstring(a):

    def h():
        """Says so."""
        return 1
    return h


def closure(a):

    def h():
        return a
    return h


def closure_written(a):

    def h(x):
        nonlocal a
        a += x
        return a
    return h


def closure_deep(a):

    def h():

        def k():
            return a
        return k
    return h


def closure_of_local(a):
    x = g(a)

    def h():
        return x
    x = h()
    return x


def closure_in_loop(a):
    made = []
    for x in a:

        def h(y=x):
            return x + y
        made.append(h)
    return made


def closure_deleted(a):

    def h():
        return a
    del a
    return h


def recursive():

    def h(n):
        return h(n - 1) if n else 0
    return h


def mutually_recursive():

    def h(n):
        return k(n)

    def k(n):
        return h(n)
    return (h, k)


def inner_global(a):

    def h():
        global X
        X = 1
    return h


def inner_of_inner_defaults(a):

    def h(x=lambda y: y + a):
        return x
    return h


def inner_class(a):

    class C:
        pass
    return C


def class_with_bases(a, b):

    class C(a, b, metaclass=g, x=1):
        y = 1

        def m(self):
            return self.y
    return C


def class_with_star_bases(a, b):

    class C(*a, **b):
        pass
    return C


def class_with_docstring():

    class C:
        """What it is."""
        x = 1
    return C


def class_decorated(a):

    @a
    @a.b
    class C:
        pass
    return C


def class_uses_super(a):

    class C(a):

        def m(self, x):
            return super().m(x)
    return C


def class_uses_class(a):

    class C(a):

        def m(self):
            return __class__
    return C


def class_closure(a):

    class C:
        x = a

        def m(self):
            return a
    return C


def class_in_class():

    class C:

        class D:
            x = 1
    return C


def class_annotations(a):

    class C:
        x: int
        y: str = 'y'
        z: a = 1
    return C


def class_with_statements(a):

    class C:
        if a:
            x = 1
        else:
            x = 2
        for y in a:
            print(y)
        del y
    return C


def class_properties():

    class C:

        @property
        def x(self):
            return self._x

        @x.setter
        def x(self, value):
            self._x = value

        @staticmethod
        def s():
            return 1
    return C


def class_mangled():

    class C:

        def m(self):
            return self.__x

        def n(self, __y):
            self.__x = __y
    return C


def class_nonlocal(a):

    class C:
        nonlocal a
        a = 1
    return (C, a)


def several_lambdas(a):
    return (lambda x: x, lambda y: a, lambda: 1)


def lambda_in_default(a):

    def h(x=lambda: 1):
        return x()
    return h


def immediately_called(a):
    return (lambda x: x + 1)(a)


def locals_called(a):
    x = 1
    return locals()


def type_called(a):
    return type('C', (a,), {'x': lambda self: a})
