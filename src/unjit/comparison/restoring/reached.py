"""What a function can reach besides its arguments, so that running it once more leaves no trace in the program.

Found by what the function's code names: globals, free variables, objects, and the functions and methods that these
lead to, as far as they are the program's own. Of tensors and arrays a copy is kept; containers and objects remember
what they hold, and get it back in place. Files and what others have written in C cannot be put back.
"""

from __future__ import annotations

import contextlib
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from types import BuiltinMethodType, CodeType, FunctionType, MemberDescriptorType, MethodType, ModuleType
from typing import Any, Final

from unjit.comparison.restoring.buffers import buffer_undone, objects_in
from unjit.comparison.restoring.cut_off import CutOff, Place
from unjit.comparison.restoring.held_gradients import HeldGradients
from unjit.comparison.restoring.iterators import is_source
from unjit.comparison.restoring.tensors import Remembered
from unjit.comparison.restoring.undoing import (
    MISSING,
    Undo,
    attributes,
    cache_undone,
    cell_undone,
    class_undone,
    container_undone,
    content,
    defaults_undone,
    dict_undone,
    exchange,
    generator_undone,
    global_undone,
    is_special,
    kind_undone,
    put_arguments,
    set_attribute,
    slot_content,
    slots_undone,
)
from unjit.comparison.restoring.weak import behind
from unjit.comparison.runs.copying import cleans_up
from unjit.comparison.values.shared_memory import memory_of
from unjit.errors import UnjitError
from unjit.torch_private.cache.targets import hooks_on
from unjit.torch_private.calling.called_around import implementing

_MOST: Final = 100_000  # objects that are looked at
_PLAIN: Final = (int, float, complex, str, bytes, type(None))  # they hold nothing that could change
_FOREIGN: Final = {*sys.stdlib_module_names, "torch", "numpy", "unjit"} - {"__main__"}
_OF_CODE: Final = (type, FunctionType, ModuleType, staticmethod, classmethod, property, MemberDescriptorType)
_Cached: Final = type(lru_cache(len))
_CONTAINERS: Final = (dict, list, tuple, set, frozenset, deque)
_HOLDERS: Final = {  # classes of others whose objects hold what is the program's, and so do those of their subclasses
    "types.SimpleNamespace", "argparse.Namespace", "queue.Queue",
    "collections.ChainMap", "collections.UserDict", "collections.UserList", "_thread._local",
    "weakref.WeakKeyDictionary", "weakref.WeakValueDictionary", "_weakrefset.WeakSet",
    "torch.optim.lr_scheduler.LRScheduler", "torch.amp.grad_scaler.GradScaler",
}  # fmt: skip


class Reached:
    """All that a function reaches, as it was when it was looked at; knows how to put it back."""

    def __init__(
        self,
        undo: list[Undo],
        gradients: HeldGradients,
        functions: list[FunctionType],
        cut_off: CutOff,
        not_copied: list[Any],
        remembered: dict[int, Remembered],
    ) -> None:
        self._undo = undo
        self.remembered = remembered  # of each tensor, by its id
        self.gradients = gradients
        self._functions = functions
        self.cut_off = cut_off  # for a run, to be put in place when all is put back
        self.not_copied = not_copied  # inputs that the function holds as well, and may ask whether they are the same

    @classmethod
    def of(cls, reached: list[Any], known: set[int], given: Any = ()) -> Reached:
        """As everything that these lead to is now; tensors with the ids `known` are somebody else's care.

        Of what `given` leads to, that which is reached, or shares memory with it, is not to be copied for a run.
        Raises UnjitError where that is more than can be looked at.
        """
        everything = {id(found): found for found in _walk(reached, _parts)}
        not_copied = _held_too(given, everything)
        everything |= {id(found): found for found in not_copied}
        undo: list[Undo] = []
        tensors: list[Any] = []
        remembered: dict[int, Remembered] = {}
        functions: list[FunctionType] = []
        cut_off = CutOff(_is_source)
        for found in everything.values():
            if not _is_tensor(found):
                undo += _undo_of(found)
                cut_off.note(_places(found))
                functions += _compiled_with(found)
            elif id(found) not in known:
                remembered[id(found)] = Remembered(found)
                undo.append(remembered[id(found)].put_back)
                tensors.append(found)
        return cls(undo, HeldGradients(tensors), functions, cut_off, not_copied, remembered)

    def put_back(self) -> None:
        """As it was; gradients are taken off. What cannot be put back raises, when all else is."""
        failed: list[Exception] = []
        for undo in self._undo:
            try:
                undo()
            except Exception as error:
                failed.append(error)
        self.gradients.take_off()
        if failed:
            raise failed[0]

    def put_back_all(self) -> None:
        """As it was, gradients too."""
        try:
            self.put_back()
        finally:
            self.gradients.put_back()

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


def _held_too(given: Any, everything: dict[int, Any]) -> list[Any]:
    """What is among `everything`, and views of tensors there; of one with a graph a copy is cut off from that."""
    memory = set(map(memory_of, filter(_is_tensor, everything.values()))) - {None}

    def is_view(one: Any) -> bool:
        return _is_tensor(one) and one.is_leaf and memory_of(one) in memory

    return [one for one in _walk([given], _parts_of_copies) if id(one) in everything or is_view(one)]


def shared_with_copies(given: Any) -> list[Any]:
    """The functions, classes and objects that clean up after themselves which something leads to: copies share them.

    Raises UnjitError where it leads to more than can be looked at.
    """
    return [found for found in _walk([given], _parts_of_copies) if _is_shared(found)]


def _parts_of_copies(value: Any) -> Iterable[Any]:
    return () if _is_shared(value) else _parts(value)


def _is_shared(value: Any) -> bool:
    return isinstance(value, (FunctionType, type)) or cleans_up(value)


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


def _is_source(value: Any) -> bool:
    """Whether it is an iterator of Python's, torch's or NumPy's; one of the program's own classes is an object."""
    return is_source(value) and _is_foreign(type(value))


def _is_of_others(module: object) -> bool:
    return str(module).partition(".")[0] in _FOREIGN


# ---------------------------------------------------------------- what leads where
def _walk(roots: Iterable[Any], parts: Callable[[Any], Iterable[Any]]) -> Iterator[Any]:
    """Everything that these lead to, each once; UnjitError where that is more than can be looked at."""
    seen: dict[int, Any] = {}
    work = list(roots)
    while work:
        found = behind(work.pop())
        if id(found) in seen or isinstance(found, _PLAIN):
            continue
        if len(seen) == _MOST:
            raise UnjitError(
                f"it reaches more than {_MOST:,} objects: what a run changes in them could not be put back; "
                "compare a function that reaches less"
            )
        seen[id(found)] = found  # alive, so that its id stays its own
        yield found
        work += hooks_on(found) if _is_tensor(found) else parts(found)


def _parts(value: Any) -> Iterator[Any]:
    if isinstance(value, FunctionType):
        if not _is_foreign(value):
            yield from (cell.cell_contents for cell in value.__closure__ or () if content(cell) is not MISSING)
            yield from (found for _, _, found in _named(value) if found is not MISSING)
            yield from _methods_named(value)
            yield from value.__defaults__ or ()
            yield value.__kwdefaults__
            yield vars(value)
    elif isinstance(value, MethodType):
        yield from (value.__self__, value.__func__)
    elif isinstance(value, BuiltinMethodType):  # as `found.append`; of a function of a module that is the module
        yield from [] if isinstance(value.__self__, ModuleType) else [value.__self__]
    elif isinstance(value, partial):
        yield from (value.func, *value.args, value.keywords)
    elif isinstance(value, _Cached):
        yield value.__wrapped__
    elif _is_own_class(value):
        yield from (held for held in attributes(value).values() if not isinstance(held, _OF_CODE))
        yield from value.__bases__
    else:
        yield from _items(value)
        yield from _of_object(value)
        yield from implementing(value)


def _items(value: Any) -> Iterator[Any]:
    """What a container holds; the program may have given one more attributes than that."""
    if isinstance(value, dict):
        yield from dict.values(value)
    if isinstance(value, _CONTAINERS):
        yield from value
    yield from objects_in(value)


def _of_object(value: Any) -> Iterator[Any]:
    """What an object holds, and its class with the methods."""
    slots = _slots(value)
    if _is_object(value):
        yield from vars(value).values()
    elif not slots:
        return
    yield from (held for slot in slots if (held := slot_content(value, slot)) is not MISSING)
    for base in type(value).__mro__:
        if _is_own_class(base):
            yield base
            yield from filter(None, map(_function, vars(base).values()))


def _function(held: Any) -> FunctionType | None:
    """The function of a method, in whatever way a class holds it."""
    found = held.__func__ if isinstance(held, (staticmethod, classmethod)) else held
    found = found.fget if isinstance(found, property) else found
    return found if isinstance(found, FunctionType) else None


def _is_own_class(value: Any) -> bool:
    return isinstance(value, type) and not _is_foreign(value)


def _slots(value: Any) -> list[MemberDescriptorType]:
    """The slots of an object of a class of the program's: the members of one written in C may be for reading alone."""
    own = (base for base in type(value).__mro__ if _is_own_class(base) and "__slots__" in vars(base))
    return [held for base in own for held in vars(base).values() if isinstance(held, MemberDescriptorType)]


def _is_object(value: Any) -> bool:
    """Whether it is an object of the program's, a module, an optimizer, or what else holds the program's own."""
    import torch

    kind = type(value)
    if isinstance(value, (type, ModuleType)) or not isinstance(getattr(value, "__dict__", None), dict):
        return False
    if isinstance(value, (torch.nn.Module, torch.optim.Optimizer)) or not _is_foreign(kind):
        return True
    return any(f"{base.__module__}.{base.__qualname__}" in _HOLDERS for base in kind.__mro__)


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
        found = scope.get(name, MISSING)
        yield scope, name, found
        if isinstance(found, ModuleType) and not _is_of_others(found.__name__):
            yield from ((vars(found), inner, vars(found)[inner]) for inner in names if inner in vars(found))


def _methods_named(function: FunctionType) -> Iterator[FunctionType]:
    """Of the classes that a function names, methods that it names or Python calls: all could lead through a library.

    Whoever makes an object, adds to it or enters it as a context names no method.
    """
    names = set(_names(function.__code__))
    cells = map(content, function.__closure__ or ())
    for kind in (*(found for _, _, found in _named(function)), *cells):
        if _is_own_class(kind):
            own = (vars(base) for base in kind.__mro__ if _is_own_class(base))
            called = _calls_all(kind)
            held = (
                value for part in own for name, value in part.items() if called or name in names or is_special(name)
            )
            yield from filter(None, map(_function, held))


def _calls_all(kind: type) -> bool:
    """Whether torch calls its methods, which no code of the program's need name."""
    import torch

    return issubclass(kind, torch.autograd.Function)


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
        cells = [cell_undone(cell) for cell in value.__closure__ or ()]
        return [defaults_undone(value), *cells, *(global_undone(*named) for named in _named(value))]
    if isinstance(value, partial):
        return [partial(put_arguments, value, value.args)]
    if _is_own_class(value):
        return [class_undone(value)]
    held = cache_undone(value) if isinstance(value, _Cached) else container_undone(value)
    of_object = [kind_undone(value), dict_undone(vars(value))] if _is_object(value) else []
    slots = _slots(value)
    in_slots = slots_undone(value, slots) if slots else None
    found = (held, *of_object, generator_undone(value), buffer_undone(value), in_slots)
    return [undo for undo in found if undo is not None]


def _places(value: Any) -> Iterator[Place]:
    """What a value holds where something else can be put for a while: `_undo_of` remembers each of these places."""
    if isinstance(value, FunctionType):
        if not _is_foreign(value):
            cells = (cell for cell in value.__closure__ or () if content(cell) is not MISSING)
            yield from ((cell.cell_contents, partial(setattr, cell, "cell_contents")) for cell in cells)
            yield from ((held, partial(scope.__setitem__, name)) for scope, name, held in _named(value))
            yield value.__defaults__, partial(setattr, value, "__defaults__")
    elif isinstance(value, partial):
        yield value.args, partial(put_arguments, value)
    elif isinstance(value, set):
        yield from ((held, partial(exchange, value, held)) for held in value)
    elif _is_own_class(value):
        yield from ((held, partial(set_attribute, value, name)) for name, held in attributes(value).items())
    elif not isinstance(value, type):
        if isinstance(value, dict):
            yield from ((held, partial(dict.__setitem__, value, key)) for key, held in dict.items(value))
        if isinstance(value, (list, deque)):
            yield from ((held, partial(value.__setitem__, index)) for index, held in enumerate(value))
        if _is_object(value):
            yield from ((held, partial(dict.__setitem__, vars(value), name)) for name, held in vars(value).items())
        yield from ((slot_content(value, slot), partial(slot.__set__, value)) for slot in _slots(value))
