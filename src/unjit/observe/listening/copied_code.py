"""Which of the code that Dynamo generates is kept as a copy.

Dynamo cleans up when code that it generated dies. To keep the code itself would put that off, to keep a copy does not.
"""

from __future__ import annotations

from types import CodeType

_PLAIN = (type(None), type(...), bool, int, float, complex, str, bytes, type)


def may_be_copied(code: CodeType) -> bool:
    """Whether a copy can be made and kept: Python makes none of code whose first line is below 1.

    Resume functions of functions without a table of lines are such.
    """
    return code.co_firstlineno > 0 and holds_only_plain_constants(code)


def holds_only_plain_constants(code: CodeType) -> bool:
    """Whether a copy of `code` keeps nothing alive that could be large or have a life of its own."""
    pending: list[object] = [code]
    while pending:
        value = pending.pop()
        if isinstance(value, CodeType):
            pending += value.co_consts
        elif isinstance(value, (tuple, frozenset)):
            pending += value
        elif isinstance(value, slice):  # a constant from 3.14 on
            pending += (value.start, value.stop, value.step)
        elif not isinstance(value, _PLAIN) and type(value).__module__ != "torch":  # dtype, device, layout are values
            return False
    return True
