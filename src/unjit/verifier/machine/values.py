"""Value numbers: what the symbolic execution of both programs knows about each value.

A value is an int. Two slots that hold the same number hold the same object. A number stands for a constant, for an
unknown made by one event (a *symbol*), or for a term over other numbers that needs no event to compute (`not b`,
`a is b`). Numbers are hash-consed, so equal terms have equal numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import CodeType
from typing import Final

from unjit.bytecode.constants.constant_key import constant_key

# Facts about a number, as bits.
BOOL: Final = 1  # exactly True or False
NULLABLE: Final = 2  # may be NULL: an unbound local, or an absent self
EXCEPTION: Final = 4  # an exception instance
LASTI: Final = 8  # the place of a failure, as handlers find it below an exception
INT: Final = 16  # exactly an int

NULL: Final = 0
COMPARED: Final = "compare "
_LITERALS: Final = (type(None), bool, int, float, complex, str, bytes, type(...), tuple, frozenset, slice)

Term = tuple[object, ...]


class Values:
    """The numbers of one comparison. Index 0 is NULL."""

    def __init__(self) -> None:
        self.terms: list[Term] = [("null",)]
        self.flags: list[int] = [NULLABLE]
        self._numbers: dict[Term, int] = {}
        self.objects: dict[int, object] = {}  # those that constants are
        self.true, self.false, self.none = self.constant(True), self.constant(False), self.constant(None)

    def _number(self, term: Term, flags: int) -> int:
        number = self._numbers.get(term)
        if number is None:
            number = self._numbers[term] = len(self.terms)
            self.terms.append(term)
            self.flags.append(flags)
        return number

    def constant(self, value: object) -> int:
        if type(value) is tuple:
            return self.constant_tuple(tuple(map(self.constant, value)))
        number = self._number(("constant", constant_key(value)), BOOL if type(value) is bool else 0)
        self.objects.setdefault(number, value)
        return number

    def constant_tuple(self, parts: Sequence[int]) -> int:
        """The tuple of constants that have these numbers."""
        number = self._number(("constant", tuple, *parts), 0)
        if number not in self.objects:
            self.objects[number] = tuple(map(self.object, parts))
        return number

    def symbol(self, flags: int = 0) -> int:
        """A value that nothing else is known to be equal to."""
        self.terms.append(("symbol",))
        self.flags.append(flags)
        return len(self.terms) - 1

    def negation(self, value: int) -> int:
        """`not value` of a value known to be True or False."""
        assert self.flags[value] & BOOL
        if value in (self.true, self.false):
            return self.true + self.false - value
        term = self.terms[value]
        if term[0] == "not":
            return int(term[1])  # type: ignore[call-overload,no-any-return]
        return self._number(("not", value), BOOL)

    def identity(self, one: int, other: int) -> int:
        """`one is other`. Of two constants it is decided only against None, True and False, which exist once."""
        for value, sole in ((one, other), (other, one)):
            if sole in (self.none, self.true, self.false):
                if self.is_constant(value):
                    return self.true if value == sole else self.false
                if self.flags[value] & BOOL:
                    known = {self.true: value, self.false: self.negation(value), self.none: self.false}
                    return known[sole]
        return self._number(("is", min(one, other), max(one, other)), BOOL)

    def comparison(self, operator: str, one: int, other: int) -> int:
        """How two ints compare."""
        return self._number((COMPARED + operator, one, other), BOOL)

    def can_be_asked_again(self, value: int) -> bool:
        """Whether it is the outcome of a test that both programs may put, each in its turn."""
        name = str(self.terms[value][0])
        return name == "is" or name.startswith(COMPARED)

    def part(self, name: str, whole: int) -> int:
        """One of several stack entries that stand for one value, such as the two of a looked-up method."""
        return self._number((name, whole), NULLABLE if name in ("method", "self") else 0)

    def is_constant(self, value: int) -> bool:
        return self.terms[value][0] == "constant"

    def object(self, value: int) -> object:
        return self.objects[value]

    def code(self, value: int) -> CodeType | None:
        found = self.objects.get(value)
        return found if isinstance(found, CodeType) else None

    def truth(self, value: int) -> bool | None:
        """What `bool(value)` gives where no user code can have a say in it."""
        if not self.is_constant(value):
            return None
        found = self.objects[value]
        return bool(found) if type(found) in _LITERALS else None  # another class may have a say in it

    def given(self, kind: str, name: str) -> int:
        """What the frame is entered with: an argument or a cell."""
        return self._number(("given", kind, name), 0)
