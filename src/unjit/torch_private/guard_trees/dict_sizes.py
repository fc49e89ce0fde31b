"""The size that Dynamo's manager of an ordered dict expects, which torch keeps to itself.

The manager says it when it refuses a dict of another size: `len(d) != 3`. So a copy of the guard tree that has only
the way to that manager is asked. Where the way begins at the frame's locals it is shown an empty dict at the end of
stand-ins: bare instances of the expected classes, whose `__init__` did not run, with nothing in them but the next step.
Where it leads through globals, a class, or an object that must be the same, the values that are there now are read
as the guard itself would read them: the copy then says the size, or that the present one is right.

The tree that Dynamo uses is not asked.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from unjit.model import Maybe, Message, Unknown
from unjit.torch_private.guard_trees.answers import Answer, answer_of
from unjit.torch_private.installing.asking import supposing_conditions_hold
from unjit.torch_private.probes import guard_probes as probes
from unjit.torch_private.probes.install_probes import CLONE

_STEP = re.compile(r"(\w+)(?:\((.*)\))?", re.DOTALL)
_BEGINNINGS = ("GlobalsGuardAccessor", "TypeGuardAccessor", "PythonLambdaGuardAccessor")
_MISSING = re.compile(r"\(?'\w+',?\)?|'\w+' object has no attribute '\w+'")  # a local, or what a stand-in does not have
_IMPORT = re.compile(r"__import__\('([\w.]+)'\)")
_IDENTITY = re.compile(r"_+check_obj_id\(.*?, (\d+)\)(?:, type=|\s|$)", re.DOTALL)
_LENGTH = re.compile(r"len\(.*?\) == (\d+)(?:\s|$)", re.DOTALL)
_CONTAINS = re.compile(r"_+dict_contains\('(\w+)', ")
_MOST_ITEMS = 10_000  # that a stand-in is given
_UNKNOWN = Unknown(Message("torch does not tell how many items the dict must have"))
_UNSAFE = {  # they read what a stand-in does not have; a lambda's error is told in no words of the tree's own
    *("TENSOR_MATCH", "DISPATCH_KEY_SET_MATCH", "MAPPING_KEYS_MATCH", "LAMBDA_GUARD"),
}


@dataclass(slots=True, unsafe_hash=True)  # never changed; `frozen` would make each cost three times as much
class Stop:
    """A manager on the way, how it is reached, and what its value is expected to be."""

    accessor: str
    manager: Any
    kind: type | None
    size: Maybe[int] | None = None


Alive = Callable[[], Mapping[int, Any]]  # the objects that are alive of those whose identity guards check, by address


def _fixed_value(manager: Any, alive: Mapping[int, Any]) -> Any:
    """The object whose identity the manager's guards check, of those that are alive by address; None if none is."""
    for leaf in _leaves(manager):
        parts = probes.LEAF_PARTS.call_on(leaf) if type(leaf).__name__ == "ID_MATCH" else ()
        match = _IDENTITY.match(parts[0]) if parts and not isinstance(parts, Unknown) else None
        if match:
            return alive.get(int(match[1]))
    return None


def _leaves(manager: Any) -> list[Any]:
    found = probes.NODE_LEAVES.call_on(manager)
    return [] if isinstance(found, Unknown) else list(found)


def expected_size(root: Any, way: Sequence[Stop], scope: Maybe[dict[str, Any]], alive: Alive) -> Maybe[int]:
    """The size of the dict that the last manager of the way expects; Unknown where the way cannot be made.

    `scope` are the globals that the guards read; `alive` is asked only where no other way leads there.
    """
    leaves = {type(leaf).__name__ for stop in way for leaf in _leaves(stop.manager)}
    if leaves & _UNSAFE:
        return _UNKNOWN
    try:
        present = _present(way, scope, alive)
        stand_in = _stand_in(way) if isinstance(present, Unknown) else present[0]
    except Exception as error:  # a class of the program's has its own ideas of attributes
        return Unknown(Message(f"torch does not tell how many items the dict must have ({type(error).__name__})"))
    if isinstance(stand_in, Unknown):
        return stand_in
    managers = [stop.manager for stop in way]
    copy = CLONE.call_on(root, lambda manager: manager is root or any(manager is one for one in managers))
    answer = _asked(copy, stand_in)
    if isinstance(answer, Unknown):
        return answer
    words = list(answer.failed)
    told = f"len({probes.NODE_SOURCE.call_on(way[-1].manager)}) != "
    if len(words) == 1 and words[0].startswith(told):  # of this dict, not of one on the way
        return int(words[0].removeprefix(told))
    if not (answer.holds or _came_through(words, root)):
        return _UNKNOWN
    return 0 if isinstance(present, Unknown) else len(present[1])


def _asked(copy: Any, stand_in: Any) -> Maybe[Answer]:
    """The answer of the copy; in the other grad mode, which is this thread's own, if only that is in the way."""
    import torch

    with supposing_conditions_hold(stand_in):
        answer = answer_of(copy, stand_in)
        if isinstance(answer, Unknown) or answer.failed != ("GLOBAL_STATE changed: grad_mode ",):
            return answer
        with torch.set_grad_enabled(not torch.is_grad_enabled()):
            return answer_of(copy, stand_in)


def _came_through(words: list[str], root: Any) -> bool:
    """Whether only a condition that comes after the tree said no: one that does not hold, or reads what is missing.

    Where the tree misses something it says so in words of its own.
    """
    epilogue = probes.EPILOGUE.call_on(root)
    after = [probes.LEAF_PARTS.call_on(leaf) for leaf in ([] if isinstance(epilogue, Unknown) else epilogue)]
    return words in after or (len(words) == 1 and bool(after) and _MISSING.fullmatch(words[0]) is not None)


# ---- values that are there now ---------------------------------------------------------------------------------------
def _present(way: Sequence[Stop], scope: Maybe[dict[str, Any]], alive: Alive) -> tuple[dict[str, Any], Any] | Unknown:
    """Locals from which the way can be gone, and the value at its end, where that is none of the frame's own."""
    begins = [at for at, stop in enumerate(way) if stop.accessor in _BEGINNINGS]
    frame: Any = {}
    value: Any = scope
    if not begins:
        objects = alive()
        fixed = [(at, _fixed_value(stop.manager, objects)) for at, stop in enumerate(way)]
        known = [(at, one) for at, one in fixed if one is not None]
        if not known:
            return _UNKNOWN
        first, value = known[-1]
        frame = _stand_in(way[: first + 1], value)
    else:
        first = begins[-1]
        if way[first].accessor == "TypeGuardAccessor":
            frame, value = _stand_in(way[:first], _bare(way[first - 1].kind)), way[first - 1].kind
        elif way[first].accessor == "PythonLambdaGuardAccessor":
            value = _imported(probes.NODE_SOURCE.call_on(way[first].manager))
    for stop in way[first + 1 :]:
        value = value if isinstance(value, Unknown) else _next(stop.accessor, value)
    return _UNKNOWN if isinstance(frame, Unknown) or isinstance(value, Unknown) else (frame, value)


def _imported(source: Any) -> Any:
    match = _IMPORT.fullmatch(str(source))
    return sys.modules.get(match[1], _UNKNOWN) if match else _UNKNOWN


def _next(accessor: str, value: Any) -> Any:
    role, _, number = accessor.partition(" ")
    if role == "value":
        return list(dict.values(value))[int(number)]
    match = _STEP.fullmatch(accessor)
    reader = _NOW.get(match[1]) if match else None
    return _UNKNOWN if match is None or reader is None else reader(value, match[2] or "")


_NOW: dict[str, Callable[[Any, str], Any]] = {
    "DictGetItemGuardAccessor": lambda value, text: value[ast.literal_eval(text)],
    "GetAttrGuardAccessor": getattr,
    "GetGenericDictGuardAccessor": lambda value, _text: value.__dict__,
    "TypeDictGuardAccessor": lambda value, _text: value.__dict__,
    "TypeMROGuardAccessor": lambda value, _text: value.__mro__,
    "TupleGetItemGuardAccessor": lambda value, text: tuple.__getitem__(value, int(text)),
    "ListGetItemGuardAccessor": lambda value, text: list.__getitem__(value, int(text)),
}
_FIELD = type(inspect.getattr_static(inspect.FullArgSpec, "args"))  # what reads a field of a named tuple
_SEQUENCES: dict[str, type] = {"TupleGetItemGuardAccessor": tuple, "ListGetItemGuardAccessor": list}


# ---- stand-ins -------------------------------------------------------------------------------------------------------
def _stand_in(way: Sequence[Stop], last: Any = None) -> Any:
    """The frame's locals with stand-ins on the way to an empty dict, or to `last`."""
    value = _bare(way[-1].kind) if last is None else last
    for stop, above in zip(reversed(way), reversed((None, *way[:-1])), strict=True):
        if isinstance(value, Unknown):
            return value
        value = _holding(above, stop.accessor, value)
    return value


def _holding(above: Stop | None, accessor: str, value: Any) -> Any:
    """A bare instance of the class above from which the accessor reads the value; the locals where nothing is above."""
    match = _STEP.fullmatch(accessor)
    name, text = (match[1], match[2] or "") if match else ("", "")
    if above is None:
        return (
            {_quoted(text.partition("=")[2].rpartition(",")[0]): value} if name.startswith("FrameLocals") else _UNKNOWN
        )
    kind = above.kind
    if accessor.startswith("value ") and isinstance(above.size, int):
        return _filled(above, above.size, int(accessor[6:]), value)
    if name == "GetGenericDictGuardAccessor" and isinstance(value, dict):
        return _with_attributes(kind, value)
    if name == "DictGetItemGuardAccessor" and kind is dict:
        return _with_others({ast.literal_eval(text): value}, above.manager)
    if kind is not None and (index := _place_in(kind, name, text)) is not None:
        return _row(kind, _with_items(index, value, above.manager))
    if name == "GetAttrGuardAccessor" and kind is not None:
        return _with_attribute(kind, text, value)
    return _UNKNOWN


def _place_in(kind: type, name: str, text: str) -> int | None:
    """Which item of a list or tuple, or which field of a named tuple, the accessor reads; None of anything else."""
    if name in _SEQUENCES:
        return int(text) if issubclass(kind, _SEQUENCES[name]) else None
    is_field = name == "GetAttrGuardAccessor" and type(inspect.getattr_static(kind, text, None)) is _FIELD
    return kind._fields.index(text) if is_field else None  # type: ignore[attr-defined]


def _row(kind: type, items: list[Any]) -> Any:
    """A list or tuple of these, whose class did not take part in making it."""
    if issubclass(kind, tuple):
        return tuple.__new__(kind, items)
    made: Any = list.__new__(kind)
    list.extend(made, items)
    return made


def _with_attribute(kind: type, name: str, value: Any) -> Any:
    if name == "__dict__" and isinstance(value, dict):
        return _with_attributes(kind, value)
    hidden = any(name in vars(base) or "__getattribute__" in vars(base) for base in kind.__mro__[:-1])
    return _UNKNOWN if hidden else _with_attributes(kind, {name: value})


def _filled(above: Stop, size: int, index: int, value: Any) -> Any:
    """A dict of so many items with the value at this place, and with the keys that it has to have."""
    holder = _bare(above.kind)
    if not isinstance(holder, dict):
        return _UNKNOWN
    keys = _keys_asked_for(above.manager)
    for number in range(size):
        dict.__setitem__(holder, keys[number] if number < len(keys) else number, value if number == index else None)
    return holder


def _with_others(holder: dict[Any, Any], manager: Any) -> dict[Any, Any]:
    """The dict with the keys and with as many items as the manager's guards ask for, where it has such."""
    for key in _keys_asked_for(manager):
        holder.setdefault(key)
    for number in range(_length_asked_for(manager, "DICT_LENGTH") - len(holder)):
        holder[object()] = number
    return holder


def _with_items(index: int, value: Any, manager: Any) -> list[Any]:
    """As many items as the manager's guard on the length asks for, with the value at this place."""
    items = [None] * max(index + 1, _length_asked_for(manager, "LENGTH_CHECK"))
    items[index] = value
    return items


def _keys_asked_for(manager: Any) -> list[str]:
    found = (_CONTAINS.match(text) for text in _texts(manager, "DICT_CONTAINS"))
    return [match[1] for match in found if match]


def _length_asked_for(manager: Any, kind: str) -> int:
    found = (_LENGTH.match(text) for text in _texts(manager, kind))
    return next((int(match[1]) for match in found if match and int(match[1]) <= _MOST_ITEMS), 0)


def _texts(manager: Any, kind: str) -> list[str]:
    """What guards of this kind ask, as torch tells it."""
    told = [probes.LEAF_PARTS.call_on(leaf) for leaf in _leaves(manager) if type(leaf).__name__ == kind]
    return [parts[0] for parts in told if parts and not isinstance(parts, Unknown)]


def _quoted(text: str) -> str:
    return text[1:-1]


def _with_attributes(kind: type | None, attributes: dict[str, Any]) -> Any:
    value = _bare(kind)
    if isinstance(value, Unknown) or not hasattr(value, "__dict__"):
        return _UNKNOWN
    value.__dict__.update(attributes)
    return value


def _bare(kind: type | None) -> Any:
    """An instance whose class did not take part in making it."""
    if kind is None:
        return _UNKNOWN
    builtin = next(base for base in kind.__mro__ if base in (OrderedDict, dict, object))
    try:
        return builtin.__new__(kind)
    except TypeError:
        return _UNKNOWN
