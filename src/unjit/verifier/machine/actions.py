"""What each kind of step does."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from unjit.verifier.machine import calls, display_actions, events, silent
from unjit.verifier.machine.micro import Act

if TYPE_CHECKING:
    from unjit.verifier.machine.machine import Machine
    from unjit.verifier.machine.program import Step

Action = Callable[["Machine", "Step"], int]  # answers the index of the next step, or one of `outcomes`
ACTIONS: Final[dict[Act, Action]] = {
    Act.PUSH: silent.push,
    Act.PUSH_OWN: silent.push,
    Act.PUSH_NULL: silent.push_null,
    Act.POP: silent.pop,
    Act.COPY: silent.copy,
    Act.SWAP: silent.swap,
    Act.SINK: silent.sink,
    Act.LOAD: silent.load,
    Act.LOAD_BOUND: silent.load_bound,
    Act.REQUIRE_BOUND: silent.require_bound,
    Act.STORE: silent.store,
    Act.NOT: silent.negate,
    Act.IS: silent.identify,
    Act.SPLIT_METHOD: silent.split_method,
    Act.KEYWORDS: silent.keywords,
    Act.JUMP: silent.jump,
    Act.BRANCH: silent.branch,
    Act.HANDLE: silent.handle,
    Act.UNHANDLE: silent.unhandle,
    Act.RERAISE: silent.reraise,
    Act.RERAISE_CURRENT: silent.reraise_current,
    Act.LIST: display_actions.build_list,
    Act.TUPLE: display_actions.build_tuple,
    Act.SLICE: display_actions.build_slice,
    Act.MAP: display_actions.build_map,
    Act.CONST_KEY_MAP: display_actions.build_const_key_map,
    Act.GET_ITEM: display_actions.get_item,
    Act.SET_ITEM: display_actions.set_item,
    Act.DELETE_ITEM: display_actions.delete_item,
    Act.LIST_APPEND: display_actions.list_append,
    Act.LIST_EXTEND: display_actions.list_extend,
    Act.LIST_TO_TUPLE: display_actions.list_to_tuple,
    Act.MAP_ADD: display_actions.map_add,
    Act.MAP_UPDATE: display_actions.map_update,
    Act.MAP_MERGE: display_actions.map_merge,
    Act.UNPACK: display_actions.unpack,
    Act.EVENT: events.event,
    Act.CALL: calls.call,
    Act.CALL_SPREAD: calls.call_spread,
    Act.TRUTH: events.truth,
    Act.COMPARE: events.compare,
    Act.SET_UPDATE: events.set_update,
    Act.NEXT: events.event,
    Act.SEND: events.event,
    Act.RETURN: events.event,
    Act.RAISE: events.event,
    Act.TAIL: events.tail,
    Act.UNKNOWN: events.event,
}
