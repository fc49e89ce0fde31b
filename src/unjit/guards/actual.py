"""What a value is, in the words in which a guard says what it should be; of many properties only those that differ."""

from __future__ import annotations

import ast
import enum
import re
import reprlib
from collections.abc import Callable, Iterator
from typing import Any

from unjit.errors import Unsupported
from unjit.guards import runtime
from unjit.guards.expressions import tree_of
from unjit.guards.leaves import ABSENT, ADDRESS, items
from unjit.guards.shown import is_tensor, property_of_tensor, shown
from unjit.guards.tensors import NO_MARKS
from unjit.guards.torch_state import hooks_in_words, setting_in_words, transforms_in_words
from unjit.guards.values import dotted_name, member_at, member_name
from unjit.model import Guard, Unknown
from unjit.model.words.wording import with_article
from unjit.torch_private.guard_trees import state

_SHAPE = re.compile(r"\bshape \(([^)]*)\)")
_LEFT_SIDE = re.compile(r"(count_left|int|float|str|bytes|complex)\(_\) == ")
_NOT_TOLD = "it does not hold"
_SIZE = re.compile(r"\w+")  # a number, or `any`


def actual_of(guard: Guard, value: Any) -> tuple[str, str]:
    """The expected and the actual side of a guard that does not hold."""
    kind, expected = str(guard.kind), str(guard.expected)
    if kind == "TENSOR_MATCH" and not isinstance(guard.check, Unknown):
        return _tensor(guard.check, value, expected)
    if kind == "GLOBAL_STATE":
        return _settings(guard.check)
    if kind == "LAMBDA" and not isinstance(guard.check, Unknown):
        of_torch = guard.check.partition("(")[0] in _OF_TORCH
        return _of_torch(guard.check, expected) if of_torch else (expected, _compared(guard.check, value))
    if expected == NO_MARKS:
        return expected, _marks(value)
    if kind == "ID_MATCH" and issubclass(type(value), enum.Enum) and not isinstance(guard.expected, Unknown):
        return _member(expected, value)
    if kind == "DICT_CONTAINS" and expected.startswith(ABSENT):
        return expected, "one" if issubclass(type(value), dict) else shown(value)
    if kind in _NAMED:
        return f"{_NAMED[kind]} {expected}", f"{_NAMED[kind]} {_ACTUAL[kind](value)}"
    if kind in _ACTUAL:
        return expected, _ACTUAL[kind](value)
    return expected, shown(value)


def _tensor(check: str, value: Any, expected: str) -> tuple[str, str]:
    """The properties that differ: `shape (4,)` and `shape (5,)`. Where none does, it is by its dispatch keys."""
    if not is_tensor(value):
        return expected, shown(value)
    wanted = _keywords(check)
    differing = [*_class_of_tensor(wanted.pop("kind", "torch.Tensor"), type(value)), *_properties(wanted, value)]
    if not differing:
        return f"dispatch keys {_wanted_keys(wanted)}", f"dispatch keys {_keys(value)}"
    return ", ".join(wanted for wanted, _ in differing), ", ".join(found for _, found in differing)


def _class_of_tensor(wanted: str | int, found: type) -> Iterator[tuple[str, str]]:
    """Both classes, if they differ; a guard may know the one that it asks for by its address alone."""
    if isinstance(wanted, int):
        if wanted != id(found):
            yield "a tensor of another class", with_article(dotted_name(found))
    elif wanted != dotted_name(found):
        yield with_article(wanted), with_article(dotted_name(found))


def _properties(wanted: dict[str, Any], value: Any) -> Iterator[tuple[str, str]]:
    """Both sides of each property that a guard asks for and that differs."""
    for name in ("dtype", "shape", "stride", "requires_grad", "device", "index"):
        found = property_of_tensor(value, name)
        if name in wanted and not _fits(wanted[name], found):
            yield f"{name} {_written(wanted[name])}", f"{name} {_written(found)}"


def shape_in(text: str) -> list[str] | None:
    """The sizes in either side of a guard on a tensor, `any` for each that may vary; None where none are told."""
    found = _SHAPE.search(text)
    return None if found is None else _SIZE.findall(found[1].lower())


def _member(expected: str, value: enum.Enum) -> tuple[str, str]:
    """The expected and the actual member of an enum, by name, where both are of one class."""
    wanted = member_at(type(value), int(expected.rpartition(ADDRESS)[2], 16))
    if wanted is None:
        return expected, _ACTUAL["ID_MATCH"](value)
    return member_name(wanted), member_name(value)


def _wanted_keys(wanted: dict[str, Any]) -> str:
    """The dispatch keys that a guard asks for; of an ordinary tensor it names the device alone."""
    keys = wanted.get("keys")
    return str(keys) if keys is not None else runtime.ordinary_keys(str(wanted["device"]).partition(":")[0])


def _keys(value: Any) -> str:
    try:
        return state.key_names(value)
    except Exception as error:  # anything may stand where the guard wants a tensor
        return f"unknown ({error})"


def _fits(wanted: Any, found: Any) -> bool:
    if isinstance(wanted, tuple) and isinstance(found, tuple):
        return len(wanted) == len(found) and all(one in (None, other) for one, other in zip(wanted, found, strict=True))
    return bool(wanted == found)


def _written(value: Any) -> str:
    return str(value).replace("None", "ANY") if isinstance(value, tuple) else str(value)


def _keywords(check: str) -> dict[str, Any]:
    """The keyword arguments of a check, names as text and everything else as values."""
    call = tree_of(check)
    assert isinstance(call, ast.Call), check
    return {keyword.arg or "": _literal(keyword.value) for keyword in call.keywords}


def _literal(node: ast.expr) -> Any:
    if isinstance(node, ast.Tuple):
        return tuple(_literal(item) for item in node.elts)
    if isinstance(node, ast.Name) and node.id == "ANY":
        return None
    if isinstance(node, (ast.Attribute, ast.Name)):
        return ast.unparse(node)
    return ast.literal_eval(node)


def _settings(check: str | Unknown) -> tuple[str, str]:
    """The settings of torch that differ."""
    if isinstance(check, Unknown):  # torch before 2.10 prints none of them
        return "settings as at the compile", f"others: which, is unknown ({check.reason})"
    now = runtime.readable_state(state.global_state())
    wanted = _keywords(check)
    differing = [name for name, value in wanted.items() if now.get(name) != value]
    return (
        ", ".join(f"{name}={setting_in_words(name, wanted[name])}" for name in differing),
        ", ".join(f"{name}={setting_in_words(name, now.get(name))}" for name in differing),
    )


def _of_torch(check: str, expected: str) -> tuple[str, str]:
    """Both sides of a condition on torch's state that Dynamo writes in Python.

    Torch may fail to answer, where a program has put something else into its modules.
    """
    what, now = _OF_TORCH[check.partition("(")[0]]
    try:
        return f"{what} {expected}", f"{what} {now()}"
    except Exception as error:
        reason = str(error) if isinstance(error, Unsupported) else type(error).__name__
        return f"{what} {expected}", f"others: which, is unknown ({reason})"


def _compared(check: str, value: Any) -> str:
    """What a condition that Dynamo writes in Python compares: a value as a number or text, or where a count goes on."""
    read = _LEFT_SIDE.match(check)
    if read is None:
        return _NOT_TOLD
    return shown(value) if read[1] != "count_left" else _left(lambda: str(runtime.count_left(value)), value)


def _left(tell: Callable[[], str], iterator: Any) -> str:
    """What an iterator would still give; its class where it is not of the class that `tell` reads."""
    try:
        return tell()
    except Exception:  # it is of another class, or of the program's own
        return shown(iterator)


def _tuple_left(iterator: Any) -> int:
    if type(iterator) is not type(iter(())):
        raise TypeError("of another iterator that is not known")
    return len(runtime.rest_of(iterator))


def _class(value: Any) -> str:
    return dotted_name(type(value))


def _length(value: Any) -> int | None:
    """The length of a value; None if it has none, or raises when it is asked."""
    try:
        return dict.__len__(value) if issubclass(type(value), dict) else len(value)
    except Exception:
        return None


def _items(value: Any) -> str:
    length = _length(value)
    return shown(value) if length is None else items(str(length))


def _sized_class(value: Any) -> str:
    length = _length(value)
    return _class(value) if length is None else f"{_class(value)} of {length}"


def _keys_of_dict(value: Any) -> str:
    is_dict = issubclass(type(value), dict)  # whose own keys are asked for: a class of the program's may refuse
    return f"the keys are {reprlib.repr(list(dict.keys(value)))}" if is_dict else shown(value)


def _marks(value: Any) -> str:
    marked = {name: getattr(value, name) for name in runtime.MARKS if runtime.has_attribute(value, name)}
    return ", ".join(f"{name} {dimensions}" for name, dimensions in marked.items()) or "no marks"


_TRANSFORMS = ("functorch transforms", lambda: transforms_in_words(state.functorch_states()))
_OF_TORCH: dict[str, tuple[str, Callable[[], str]]] = {  # by the function that is called
    "saved_tensor_hooks_are": ("hooks on saved tensors", lambda: hooks_in_words(state.saved_tensor_hooks())),
    "no_functorch_transform": _TRANSFORMS,
    "functorch_transforms_are": _TRANSFORMS,
}
_NAMED = {"DEFAULT_DEVICE": "default device", "TORCH_FUNCTION_MODE_STACK": "torch function modes"}
_ACTUAL: dict[str, Callable[[Any], str]] = {
    "TYPE_MATCH": _class,
    "ID_MATCH": lambda value: f"{shown(value)}{ADDRESS}{id(value):x}",
    "DICT_MANAGER": _sized_class,
    "LENGTH_CHECK": _items,
    "DICT_LENGTH": _items,
    "DICT_CONTAINS": _keys_of_dict,
    "DIMENSION_DYNAMIC_MARKING": _marks,
    "NO_HASATTR": lambda value: f"{with_article(_class(value))} that has it",
    "TORCH_FUNCTION_MODE_STACK": lambda _value: ", ".join(_class(mode) for mode in state.function_modes()) or "none",
    "DEFAULT_DEVICE": lambda _value: str(state.default_device()),
    "DUAL_LEVEL_MATCH": lambda _value: str(state.dual_level()),
    "LAMBDA": lambda _value: _NOT_TOLD,
    "TUPLE_ITERATOR_LEN": lambda value: _left(lambda: f"{_tuple_left(value)} left", value),
    "RANGE_ITERATOR_MATCH": lambda value: _left(lambda: str(runtime.range_left(value)), value),
}
