"""The private names that putting an entry into Dynamo's cache, and taking one out, needs."""

from __future__ import annotations

from typing import Final

from unjit.torch_private.probes.probe import Probe

_FIRST = "entries cannot be put into Dynamo's cache (torch 2.9 and newer can)"
_CACHE = "an entry cannot be put among the ordinary ones (torch 2.13 and newer can); use position='first'"
_OUT = "a single entry cannot be taken out of Dynamo's cache"
_COPY = "guards cannot be copied"

# ---- guard_trees/guard_copies.py -------------------------------------------------------------------------------------
WRAPPER: Final = Probe("torch._dynamo.guards.GuardManagerWrapper", "make guards for a new entry", _COPY)
NO_GUARDS: Final = Probe("torch._C._dynamo.guards.RootGuardManager", "begin a whole new set of guards", _COPY)
CLONE: Final = Probe("RootGuardManager.clone_manager", "copy the guards of an entry", _COPY)
ADD_CONDITION: Final = Probe(
    "RootGuardManager.add_epilogue_lambda_guard", "ask a condition of ours after all guards hold", _COPY
)
GLOBALS_NODE: Final = Probe("RootGuardManager.globals_dict_manager", "let C++ ask whether an entry is still on", _COPY)
ITEM_NODE: Final = Probe("GuardManager.dict_getitem_manager", "let C++ ask whether an entry is still on", _COPY)
TRUE_GUARD: Final = Probe("GuardManager.add_true_match_guard", "let C++ ask whether an entry is still on", _COPY)
NODE_KINDS: Final = Probe("torch._dynamo.guards.GuardManagerType", "make a node of a guard tree", _COPY)
NODE_KIND: Final = Probe("GuardManagerType.GUARD_MANAGER", "make a node of a guard tree", _COPY)
# ---- installing/installation.py --------------------------------------------------------------------------------------
LOAD_FIRST: Final = Probe(
    "torch._C._dynamo.eval_frame._load_precompile_entry", "put an entry before all others", _FIRST
)
DROP_FIRST: Final = Probe(
    "torch._C._dynamo.eval_frame._reset_precompile_entries", "take an entry out again", f"{_FIRST}, and taken out again"
)
# ---- installing/registration.py --------------------------------------------------------------------------------------
SET_CALLBACK: Final = Probe(
    "torch._C._dynamo.eval_frame.set_eval_frame",
    "hand Dynamo an entry of ours, and keep it from compiling what counts the runs of its code",
    _CACHE,
)
SET_REGION: Final = Probe(
    "torch._C._dynamo.eval_frame.set_eval_frame_isolate_recompiles_id",
    "put an entry into the region of the one that it was copied from",
    _CACHE,
)
ENTRY_REGION: Final = Probe(
    "CacheEntry.isolate_recompiles_id", "put an entry into the region of the one that it was copied from", _CACHE
)
GUARDED_CODE: Final = Probe("torch._dynamo.types.GuardedCode", "describe an entry to Dynamo", _CACHE)
ANSWER: Final = Probe("torch._dynamo.types.ConvertFrameReturn", "describe an entry to Dynamo", _CACHE)
STRATEGY: Final = Probe("torch._dynamo.types.FrameExecStrategy", "describe an entry to Dynamo", _CACHE)
ACTION: Final = Probe("torch._dynamo.types.FrameAction", "describe an entry to Dynamo", _CACHE)
ORIGINALS: Final = Probe(
    "torch._dynamo.utils.orig_code_map", "let torch say why an entry of ours did not fit at the next recompile", _CACHE
)
ACTION_DEFAULT: Final = Probe("FrameAction.DEFAULT", "have Dynamo treat a frame as any other", _CACHE)
ACTION_SKIP: Final = Probe("FrameAction.SKIP", "have Dynamo leave a frame alone", _CACHE)
# ---- installing/removal.py -------------------------------------------------------------------------------------------
CACHE_ENTRY: Final = Probe("GuardManagerWrapper.cache_entry", "find the entry that guards belong to", _OUT)
EXTRA_STATE: Final = Probe("GuardManagerWrapper.extra_state", "find the cache that an entry lies in", _OUT)
INVALIDATE: Final = Probe("ExtraState.invalidate", "take one entry out", _OUT)
DELETED: Final = Probe("torch._dynamo.guards.DeletedGuardManagerWrapper", "say why an entry was taken out", _OUT)
RESET_CODE: Final = Probe(
    "torch._C._dynamo.eval_frame.reset_code", "take out all entries of one function", "use torch._dynamo.reset()"
)
