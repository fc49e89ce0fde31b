# py>=3.11
# `%` of a literal and a tuple


def widths(a,b):
    return '%5s %-10s %r %.3s %%' % (a, b, a, b), '%s' % (a,), '%-4s|%10.2s %a\n' % (a, b, b)


def formats_in_formats(a,b, w):
    x = f'{a!s:{w!s}}'
    return f"{a}: {'%s %s' % (a, b)!r}", f'{a!s}{b}', '%s' % a, '%s\\%r' % (a, b), '%s {a!s} %r' % (a, b), x, '%s%%%s' % (a, b)


def backslashes(self, expr):
    return r"\frac{\partial^{%s}}{%s}{%s}" % (
                len(expr.variables),
                " ".join([r"\partial {%s}" % self._print(i) for i in expr.variables]),
                self.parenthesize(expr.expr, PRECEDENCE["Mul"], False)
            )


def empty_format(x):
    return f'{x!s:}', f'{x!r:}', f'{3!s:}'


def fields_that_are_constants():
    return f'{3.14!s:10.10}', f"{'a'!s} {3!r}"
