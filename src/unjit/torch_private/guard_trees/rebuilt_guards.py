"""An entry's guards built anew by torch, from the Guard objects that it made them of, with some left out.

torch looks at the program's values again when it does so, and takes what they are by then for what they were at the
compile: whoever uses the result has to hold it against the entry's own guards. Two things that nothing prints are asked
here: the default device, and which dispatch keys the thread adds and leaves out.
"""

from __future__ import annotations

import dataclasses
import threading
import weakref
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from types import CodeType
from typing import Any, Final

from unjit.model import Maybe, Message, Unknown, first_unknown
from unjit.model.words.wording import in_words
from unjit.torch_private.probes import state_probes
from unjit.torch_private.probes import trace_probes as making_probes

_CONSTANTS: Final = (type(None), bool, int, float, complex, str, bytes)
_MOST_ITEMS: Final = 100  # of a list, tuple or dict in the frame, and of each in it
_OBJECT_NOTES: Final = ("guard_types", "code_list", "obj_weakref", "guarded_class_weakref")  # made of it, not with it
_WEAK: Final = ("torch._dynamo.", "torch.utils.weak")  # descriptions of where values are, and references
Held = Callable[[], Any]  # a value of the frame; None if it is gone
_rebuilding = threading.local()


@dataclass(frozen=True, slots=True)
class Makings:
    """What torch needs to build the guards of an entry again. Values of the program are held weakly.

    The Guard objects name keys of dicts, which torch's tree holds as well, for as long.
    """

    objects: tuple[Any, ...]  # in the order in which torch went through them
    frame: dict[str, Held]
    state: Any  # torch's description of the compile, without values
    thread: tuple[int, int]


def is_rebuilding() -> bool:
    """Whether torch builds guards anew in this thread, of which it then tells as if it compiled."""
    return getattr(_rebuilding, "now", False)


def makings(objects: Iterable[Any], graph: Any) -> Maybe[Makings]:
    """What is needed to build guards again, taken where they are made; Unknown where it would keep values alive."""
    state = making_probes.COMPILE_STATE.call_on(graph)
    try:
        return state if isinstance(state, Unknown) else _makings(objects, state)
    except Exception as error:  # another torch may describe a compile in other words
        return Unknown(Message(f"torch's description of the compile cannot be kept: {in_words(error)}"))


def _makings(objects: Iterable[Any], state: Any) -> Maybe[Makings]:
    if state.torch_function_mode_stack or state.functorch_layers or state.aotautograd_guards or state.export:
        return Unknown(Message("modes or transforms of torch were active at the compile"))
    kept = tuple(map(_without_stack, objects))
    if not all(_holds_nothing(one) for one in kept):
        return Unknown(Message("a Guard object holds a value of the program"))
    frame = {name: _held(value) for name, value in state.local_scope.items()}
    gone = next((name for name, held in frame.items() if held is None), None)
    if gone is not None:
        return Unknown(Message(f"{gone} is a value that Python does not refer to weakly"))
    sizes = {
        source: {name: [one if type(one) is int else None for one in found[name]] for name in ("size", "stride")}
        for source, found in state.input_source_to_sizes_strides.items()
    }
    empty = dataclasses.replace(
        state, local_scope={}, global_scope={}, _guards=None, _aotautograd_guards=[], skip_guards_check=True,
        input_source_to_sizes_strides=sizes,
    )  # fmt: skip
    thread = _keys_of_thread()
    held = {name: one for name, one in frame.items() if one is not None}
    return thread if isinstance(thread, Unknown) else Makings(kept, held, empty, thread)


def rebuilt(makings: Makings, manager: Any, code: CodeType, without: Collection[int] = ()) -> Maybe[Any]:
    """A guard manager that torch makes now for the function with this code, of all objects but those numbers.

    Unknown where a value is gone, or where this thread is not as the compile was.
    """
    frame = {name: held() for name, held in makings.frame.items()}
    lost = next((name for name, value in frame.items() if value is None and makings.frame[name] is not _none), None)
    if lost is not None:
        return Unknown(Message(f"{lost} is gone"))
    device = making_probes.COMPILE_DEVICE.of(makings.state)
    if _keys_of_thread() != makings.thread or state_probes.CURRENT_DEVICE.get() != device:
        return Unknown(Message("the default device, or the thread's dispatch keys, are others than at the compile"))
    chosen = [_untouched(one) for number, one in enumerate(makings.objects) if number not in without]
    try:
        _rebuilding.now = True
        scope = manager.global_scope["G"]
        return _made(dataclasses.replace(makings.state, local_scope=frame, global_scope=scope), chosen, code, scope)
    except Exception as error:  # of torch's, or of the program's properties, which torch reads
        return Unknown(Message(f"torch cannot build them again: {in_words(error)}"))
    finally:
        _rebuilding.now = False


def _made(state: Any, chosen: list[Any], code: CodeType, scope: dict[str, Any]) -> Maybe[Any]:
    parts = [one.get() for one in (making_probes.GUARDS_OF_COMPILE, making_probes.COMPILED, making_probes.MAKE_GUARDS)]
    missing = first_unknown(*parts)
    if missing is not None:
        return missing
    together, compiled, maker = parts
    guards = together()
    for one in chosen:
        guards.inner.add(one)
    graph = compiled(dataclasses.replace(state, _guards=guards))
    return making_probes.GUARDS_MADE.of(maker(code, graph, runtime_global_scope=scope))


def _without_stack(guard: Any) -> Any:
    """Without torch's own stack, which holds the code that called."""
    stack = making_probes.GUARD_TORCH_CALLS.of(guard)
    return guard if stack is None or isinstance(stack, Unknown) else dataclasses.replace(guard, stack=None)


def _untouched(guard: Any) -> Any:
    return dataclasses.replace(guard, **dict.fromkeys(_OBJECT_NOTES))


def _none() -> None:
    return None


def _held(value: Any) -> Held | None:
    """What gives the value as long as it is alive; None where it would have to be kept alive for that.

    A list, tuple or dict is made anew, of the items that it had: no guard that is shown to be the same can tell.
    """
    if value is None:
        return _none
    if type(value) in _CONSTANTS:
        return lambda: value
    if type(value) in (list, tuple, dict):
        return _held_items(value)
    try:
        return weakref.ref(value)
    except TypeError:
        return None


def _held_items(value: Any) -> Held | None:
    kind, items = type(value), list(value.items() if type(value) is dict else enumerate(value))
    held = [(name, _held(item)) for name, item in items] if len(items) <= _MOST_ITEMS else []
    if len(held) < len(items) or any(type(name) not in _CONSTANTS or one is None for name, one in held):
        return None

    def again() -> Any:
        found = {name: one() for name, one in held if one is not None}
        gone = any(found[name] is None and one is not _none for name, one in held)
        return None if gone else found if kind is dict else kind(found.values())

    return again


def _holds_nothing(guard: Any) -> bool:
    maker = making_probes.GUARD_MAKER.of(guard)
    given = (*getattr(maker, "args", ()), *(getattr(maker, "keywords", None) or {}).values())
    return all(type(one) in _CONSTANTS or type(one).__module__.startswith(_WEAK) for one in given)


def _keys_of_thread() -> Maybe[tuple[int, int]]:
    sets = (state_probes.INCLUDED_KEYS.call(), state_probes.EXCLUDED_KEYS.call())
    found: list[Any] = [one if isinstance(one, Unknown) else state_probes.KEY_BITS.call_on(one) for one in sets]
    return first_unknown(*found) or (int(found[0]), int(found[1]))
