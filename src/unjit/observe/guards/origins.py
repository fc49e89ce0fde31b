"""Each guard of the tree joined with the Guard object of Dynamo's that it came from.

Nothing in the tree names the object. A guard is taken to come from one if what Dynamo asked for (the object's kind) is
known to end as a guard of this kind on this value, and if torch printed a line of the object's own calls beside it. All
that fit must agree on those calls: otherwise the origin stays unknown.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import Final

from unjit.model import GuardLine, GuardOrigin, Maybe, Message, Name, Place, Term, Unknown, known_or
from unjit.model.words.stack_text import place
from unjit.observe.functions.sources import line_text
from unjit.observe.guards.printed import Comment
from unjit.torch_private.guard_trees.guard_origins import RawOrigin, RawOrigins

_IDENTITIES: Final = (
    "ID_MATCH", "FUNCTION_MATCH", "CLASS_MATCH", "MODULE_MATCH", "BUILTIN_MATCH", "NN_MODULE", "CONSTANT_MATCH",
    "CLOSURE_MATCH", "TENSOR_MATCH",
)  # fmt: skip
_LENGTHS: Final = ("SEQUENCE_LENGTH", "DICT_KEYS_MATCH", "DICT_KEYS", "DICT_CONST_KEYS", "EMPTY_NN_MODULE_HOOKS_DICT")
_KEYS: Final = ("DICT_KEYS_MATCH", "DICT_KEYS", "DICT_CONST_KEYS")
_CHECKED: Final = (
    "TENSOR_SUBCLASS_METADATA_MATCH", "DTENSOR_SPEC_MATCH", "OPAQUE_OBJ_GUARD_FN_MATCH", "CONSTANT_SUBCLASS_MATCH",
    "COUNT_ITERATOR_MATCH",
)  # fmt: skip
_ASKED: Final[dict[str, tuple[str, ...]]] = {  # what may have been asked about a value on which such a guard stands
    "TYPE_MATCH": ("TYPE_MATCH", *_LENGTHS),
    "ID_MATCH": _IDENTITIES,
    "EQUALS_MATCH": ("EQUALS_MATCH", "CONSTANT_MATCH"),
    "FLOAT_IS_NAN": ("EQUALS_MATCH", "CONSTANT_MATCH"),
    "COMPLEX_IS_NAN": ("EQUALS_MATCH", "CONSTANT_MATCH"),
    "TRUE_MATCH": ("BOOL_MATCH", "CONSTANT_MATCH"),
    "FALSE_MATCH": ("BOOL_MATCH", "CONSTANT_MATCH"),
    "NONE_MATCH": ("NONE_MATCH", "CONSTANT_MATCH"),
    "NOT_NONE": ("NOT_NONE_MATCH", "WEAKREF_ALIVE"),
    "LENGTH_CHECK": _LENGTHS,
    "DICT_LENGTH": _LENGTHS,
    "DICT_LENGTH_CHECK": _LENGTHS,
    "DICT_VERSION": ("DICT_VERSION", *_KEYS),
    "DICT_CONTAINS": ("DICT_CONTAINS", "DICT_NOT_CONTAINS"),
    "SET_CONTAINS": ("SET_CONTAINS", "SET_NOT_CONTAINS"),
    "NO_HASATTR": ("HASATTR",),
    "TENSOR_MATCH": ("TENSOR_MATCH",),
    "DIMENSION_DYNAMIC_MARKING": ("TENSOR_MATCH",),
    "DISPATCH_KEY_SET_MATCH": ("DISPATCH_KEY_SET_MATCH",),
    "FAKE_SCRIPT_TYPE_MATCH": ("FAKE_SCRIPT_TYPE_MATCH",),
    "TUPLE_ITERATOR_LEN": ("TUPLE_ITERATOR_LEN",),
    "RANGE_ITERATOR_MATCH": ("RANGE_ITERATOR_MATCH",),
    "LAMBDA": _CHECKED,
}
_ONCE: Final = {  # of which torch keeps the first alone on each value
    "TYPE_MATCH", "ID_MATCH", "EQUALS_MATCH", "TRUE_MATCH", "FALSE_MATCH", "NONE_MATCH", "NOT_NONE", "LENGTH_CHECK",
    "DICT_LENGTH", "DICT_LENGTH_CHECK", "DICT_VERSION", "TENSOR_MATCH", "DIMENSION_DYNAMIC_MARKING",
}  # fmt: skip
_ASKED_ONCE: Final = {"HASATTR", "NOT_PRESENT_IN_GENERIC_DICT"}  # torch leaves out what gives a text that it had
_STATE: Final = {  # asked once, about no value, and always
    "GLOBAL_STATE": "GLOBAL_STATE",
    "TORCH_FUNCTION_MODE_STACK": "TORCH_FUNCTION_STATE",
    "DEFAULT_DEVICE": "DEFAULT_DEVICE",
    "DUAL_LEVEL_MATCH": "DUAL_LEVEL",
}
_HOOKS: Final = ("AUTOGRAD_SAVED_TENSORS_HOOKS", "FUNCTORCH_STACK_MATCH")
_KEY: Final = re.compile(r"list\(dict\.keys\((.*)\)\)\[\d+\]", re.DOTALL)
_NONE: Final = Unknown(Message("no Guard object of Dynamo's is known to end as this guard"))
_SEVERAL: Final = Unknown(
    Message("several Guard objects of Dynamo's, from different calls, may have ended as this guard")
)


class Origins:
    """The Guard objects of one entry, to be joined with its guards."""

    def __init__(self, raw: Maybe[RawOrigins]) -> None:
        lines = raw if isinstance(raw, Unknown) else raw.lines
        self._unknown = lines if isinstance(lines, Unknown) else None
        self._lines = known_or(lines, ())
        self._objects = () if isinstance(raw, Unknown) or self._unknown else raw.guards
        self._about: dict[tuple[str, str], list[int]] = defaultdict(list)  # kind and source to numbers of objects
        self._asked: dict[str, list[int]] = defaultdict(list)
        for number, one in enumerate(self._objects):
            self._about[one.kind, one.source].append(number)
            self._asked[one.kind].append(number)
        self._used: dict[int, int] = {}  # from torch's number of a line to ours, of lines that origins so far name

    def of(self, kind: str, source: Maybe[str], comment: Comment | None, text: str) -> Maybe[GuardOrigin] | None:
        """The origin of a guard of this kind on this value; None if torch tells of no guard where it came from.

        `comment` is what torch printed beside the guard, `text` the guard itself as torch prints it.
        """
        if self._unknown is not None:
            return None
        found = [self._objects[number] for number in sorted(self._candidates(kind, source, comment, text))]
        found = [one for one in found if all(repr(word) in text for word in one.words)]
        if kind in _ONCE or {one.kind for one in found} <= _ASKED_ONCE:
            found = found[:1]
        found = [one for one in found if comment is None or self._is_called_from(one, comment)]
        if not found:
            return _NONE
        if len({(one.line, one.kind) for one in found}) > 1:
            return _SEVERAL
        one = found[0]
        return GuardOrigin(Term(one.kind), _class_name(one), self._number(one.line), self._number(one.torch_line))

    def may_end_as(self, kind: str, source: str, text: str) -> set[int]:
        """The numbers of all objects from which a guard of this kind on this value may have come."""
        found = self._asked_about(kind, source, text)
        found += self._of(_IDENTITIES, f"type({source})") if kind == "TYPE_MATCH" else []
        return {number for number in found if all(repr(word) in text for word in self._objects[number].words)}

    def lines(self) -> Maybe[tuple[GuardLine, ...]]:
        """The lines that the origins given so far name, by their numbers."""
        if self._unknown is not None:
            return self._unknown
        return tuple(GuardLine(self._place(at), self._number(self._lines[at][0])) for at in self._used)

    def place(self, origin: GuardOrigin) -> Place | None:
        """The innermost line of the program; None where there is none."""
        return None if origin.line is None else self._place(list(self._used)[origin.line])

    def _number(self, at: int | None) -> int | None:
        """Our number of a line. The lines that led to it get theirs first."""
        if at is None or at in self._used:
            return None if at is None else self._used[at]
        self._number(self._lines[at][0])
        self._used[at] = len(self._used)
        return self._used[at]

    def _place(self, at: int) -> Place:
        _, file, line, function = self._lines[at]
        code = None if line is None else line_text(file, line)
        return place(file, line, function, known_or(code, None))

    def _candidates(self, kind: str, source: Maybe[str], comment: Comment | None, text: str) -> list[int]:
        """The numbers of the objects that may end as a guard of this kind on this value."""
        if kind in _STATE:
            return self._asked[_STATE[kind]]
        if comment is None:  # torch makes a guard on the class of a value of one that asked about `type(value)`
            return self._of(_IDENTITIES, f"type({source})") if kind == "TYPE_MATCH" else []
        if kind != "LAMBDA" or not (isinstance(source, Unknown) or source in ("", "L")):
            return [] if isinstance(source, Unknown) else self._asked_about(kind, source, text)
        if " is " not in text:
            return [number for asked in _HOOKS for number in self._asked[asked]]
        objects = self._objects
        return [number for number in self._asked["DUPLICATE_INPUT"] if text.endswith(f" is {objects[number].source}")]

    def _asked_about(self, kind: str, source: str, text: str) -> list[int]:
        """The objects asked for about this value, or about the one that it is reached from, that may end as `kind`."""
        found = self._of(_ASKED.get(kind, ()), source)
        if kind == "ID_MATCH" and source.endswith(".__code__"):
            found += self._of(("CLOSURE_MATCH",), source.removesuffix(".__code__"))
        if kind == "DICT_CONTAINS" and source.endswith(".__dict__"):
            found += self._of(("NOT_PRESENT_IN_GENERIC_DICT",), source.removesuffix(".__dict__"))
        if kind in ("TRUE_MATCH", "FALSE_MATCH") and source.endswith(".training"):
            found += self._of(("NN_MODULE",), source.removesuffix(".training"))
        key = _KEY.fullmatch(source)
        if key is not None and (kind == "EQUALS_MATCH" or text.startswith("__check_obj_id(")):  # others: `___check`
            found += self._of(_KEYS, key[1])
        return found

    def _of(self, asked: Iterable[str], source: str) -> list[int]:
        return [number for kind in asked for number in self._about.get((kind, source), ())]

    def _is_called_from(self, origin: RawOrigin, comment: Comment) -> bool:
        """Whether the line that torch printed is one of the calls that led to this object."""
        at = origin.torch_line if origin.line is None else origin.line
        while at is not None:
            within, file, line, function = self._lines[at]
            if (line, function) == (comment.line, comment.function) and file.endswith(comment.file):
                return True
            at = within
        return False


def _class_name(one: RawOrigin) -> Maybe[Name]:
    kind = None if one.guarded_class is None else one.guarded_class()
    if kind is None:
        return Unknown(Message("torch does not tell it, or the class is gone"))
    return Name(f"{kind.__module__}.{kind.__qualname__}")
