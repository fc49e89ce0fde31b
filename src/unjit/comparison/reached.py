"""What a function can reach besides its arguments, so that running it once more leaves no trace in the program.

Found by what the function's code names: globals, free variables, objects, and the functions and methods that these
lead to, as far as they are the program's own. Tensors keep a copy of their values; lists, dictionaries, sets and
objects remember what they hold, and get it back in place. Iterators, files and what is written in C cannot be put back.
"""

from __future__ import annotations

import contextlib
import sys
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from functools import partial
from types import CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, Final

from unjit.comparison.state import overwrite
from unjit.errors import UnjitError

_MISSING: Final = object()
_MOST: Final = 100_000  # objects that are looked at
_PLAIN: Final = (int, float, complex, str, bytes, type(None))  # they hold nothing that could change
_FOREIGN: Final = {*sys.stdlib_module_names, "torch", "numpy", "unjit"} - {"__main__"}
_HOLDERS: Final = ("types.SimpleNamespace", "argparse.Namespace")

Undo = Callable[[], None]


class Reached:
    """All that a function reaches, as it was when it was looked at; knows how to put it back."""

    def __init__(self, undo: list[Undo], gradients: list[tuple[Any, Any]], functions: list[FunctionType]) -> None:
        self._undo = undo
        self._gradients = gradients
        self._functions = functions

    @classmethod
    def of(cls, reached: list[Any], known: set[int]) -> Reached:
        """As everything that these lead to is now; tensors with the ids `known` are somebody else's care.

        Raises UnjitError where that is more than can be looked at.
        """
        undo: list[Undo] = []
        gradients: list[tuple[Any, Any]] = []
        functions: list[FunctionType] = []
        seen: dict[int, Any] = {}
        work = list(reached)
        while work:
            found = work.pop()
            if id(found) in seen or isinstance(found, _PLAIN):
                continue
            if len(seen) == _MOST:
                raise UnjitError(
                    f"it reaches more than {_MOST:,} objects: what a run changes in them could not be put back; "
                    "compare a function that reaches less"
                )
            seen[id(found)] = found  # alive, so that its id stays its own
            if _is_tensor(found):
                if id(found) not in known:
                    undo.append(_values(found))
                    gradients += [(found, found.grad)] if found.is_leaf else []
                continue
            undo += _undo_of(found)
            functions += _compiled_with(found)
            work += _parts(found)
        return cls(undo, gradients, functions)

    def put_back(self) -> None:
        """As it was; tensors begin without gradients."""
        for undo in self._undo:
            undo()
        for tensor, _ in self._gradients:
            tensor.grad = None

    def put_back_all(self) -> None:
        """As it was, gradients too."""
        self.put_back()
        for tensor, gradient in self._gradients:
            tensor.grad = gradient

    @contextlib.contextmanager
    def own_codes(self) -> Iterator[None]:
        """Within the block the functions have code objects of their own, equal to theirs.

        What is compiled then is kept by those: entries that were taken out still count against the program's limit.
        """
        before = [(function, function.__code__) for function in dict.fromkeys(self._functions)]
        placed = [(function, code, code.replace(co_name=code.co_name)) for function, code in before]
        try:
            for function, _, copy in placed:
                function.__code__ = copy
            yield
        finally:
            for function, code, copy in placed:
                if function.__code__ is copy:  # else somebody else has given it another
                    function.__code__ = code


def _compiled_with(value: Any) -> list[FunctionType]:
    """The functions that Dynamo may compile on their own for what was reached."""
    import torch

    if isinstance(value, torch.nn.Module):
        forward = type(value).forward
        return [forward] if isinstance(forward, FunctionType) else []
    return [value] if isinstance(value, FunctionType) and not _is_foreign(value) else []


def _is_tensor(value: Any) -> bool:
    import torch

    return isinstance(value, torch.Tensor)


def _is_foreign(value: Any) -> bool:
    """Whether a function or class is written by others than the program's authors: Python's, torch's, NumPy's."""
    return _is_of_others(getattr(value, "__module__", None))


def _is_of_others(module: object) -> bool:
    return str(module).partition(".")[0] in _FOREIGN


# ---------------------------------------------------------------- what leads where
def _parts(value: Any) -> Iterator[Any]:
    if isinstance(value, FunctionType):
        if not _is_foreign(value):
            yield from (cell.cell_contents for cell in value.__closure__ or () if _content(cell) is not _MISSING)
            yield from (found for _, _, found in _named(value) if found is not _MISSING)
            yield from (*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values())
            yield from [value.__dict__["__wrapped__"]] if "__wrapped__" in value.__dict__ else []
    elif isinstance(value, MethodType):
        yield from (value.__self__, value.__func__)
    elif isinstance(value, partial):
        yield from (value.func, *value.args, *value.keywords.values())
    elif isinstance(value, dict):
        yield from dict.values(value)
    elif isinstance(value, (list, tuple, set, frozenset, deque)):
        yield from value
    elif _is_object(value):
        yield from vars(value).values()
        own = (base for base in type(value).__mro__ if not _is_foreign(base))
        yield from (found for base in own for found in vars(base).values() if isinstance(found, FunctionType))


def _is_object(value: Any) -> bool:
    """Whether it is an object of the program's, a module or an optimizer."""
    import torch

    kind = type(value)
    if isinstance(value, (type, ModuleType)) or not isinstance(getattr(value, "__dict__", None), dict):
        return False
    whole = f"{kind.__module__}.{kind.__qualname__}"
    holds = isinstance(value, (torch.nn.Module, torch.optim.Optimizer)) or whole in _HOLDERS
    return holds or not _is_foreign(kind)


def _named(function: FunctionType) -> Iterator[tuple[dict[str, Any], str, Any]]:
    """The globals that a function names, and what it names of the program's own modules.

    None of a decorator of torch's or Python's, which says that it is of the module whose function it stands around:
    torch keeps its own state there, as what a run of ours asks it to compile with.
    """
    scope = function.__globals__
    if _is_of_others(scope.get("__name__")):
        return
    names = set(_names(function.__code__))
    for name in names:
        found = scope.get(name, _MISSING)
        yield scope, name, found
        if isinstance(found, ModuleType) and not _is_of_others(found.__name__):
            yield from ((vars(found), inner, vars(found)[inner]) for inner in names if inner in vars(found))


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


# ---------------------------------------------------------------- what each remembers
def _undo_of(value: Any) -> list[Undo]:
    if isinstance(value, FunctionType):
        if _is_foreign(value):
            return []
        return [_cell(cell) for cell in value.__closure__ or ()] + [_global(*named) for named in _named(value)]
    if isinstance(value, dict):
        return [_dict(value)]
    if isinstance(value, (list, deque)):
        return [_sequence(value)]
    if isinstance(value, set):
        return [_set(value)]
    return [_dict(vars(value))] if _is_object(value) else []


def _content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return _MISSING


def _cell(cell: CellType) -> Undo:
    before = _content(cell)

    def undo() -> None:
        if before is not _MISSING and _content(cell) is not before:
            cell.cell_contents = before

    return undo


def _global(scope: dict[str, Any], name: str, before: Any) -> Undo:
    def undo() -> None:
        if scope.get(name, _MISSING) is before:
            return
        if before is _MISSING:
            del scope[name]
        else:
            scope[name] = before

    return undo


def _dict(value: dict[Any, Any]) -> Undo:
    kind: Any = OrderedDict if isinstance(value, OrderedDict) else dict
    before = list(kind.items(value))

    def undo() -> None:
        if _same([part for item in kind.items(value) for part in item], [part for item in before for part in item]):
            return
        kind.clear(value)
        for key, part in before:
            kind.__setitem__(value, key, part)

    return undo


def _sequence(value: list[Any] | deque[Any]) -> Undo:
    before = list(value)

    def undo() -> None:
        if not _same(list(value), before):
            value.clear()
            value.extend(before)

    return undo


def _set(value: set[Any]) -> Undo:
    before = set(value)

    def undo() -> None:
        if value != before:
            value.clear()
            value.update(before)

    return undo


def _values(tensor: Any) -> Undo:
    before = tensor.detach().clone()
    return lambda: overwrite(tensor, before)


def _same(one: list[Any], other: list[Any]) -> bool:
    return len(one) == len(other) and all(a is b for a, b in zip(one, other, strict=True))
