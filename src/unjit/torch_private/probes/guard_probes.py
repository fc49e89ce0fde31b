"""The private names that reading guards needs."""

from __future__ import annotations

from typing import Final

from unjit.torch_private.probes.probe import Probe

# ---- guard_trees/guards.py -------------------------------------------------------------------------------------------
GUARD_ROOT: Final = Probe(
    "GuardManagerWrapper.root", "walk the tree of guards", "guards cannot be read", "a public guard tree"
)
NODE_LEAVES: Final = Probe("GuardManager.get_leaf_guards", "the conditions on one value", "guards are missing")
NODE_CHILDREN: Final = Probe(
    "GuardManager.get_child_managers", "the values reached through one value", "guards are missing"
)
NODE_ACCESSORS: Final = Probe(
    "GuardManager.get_accessors", "how a value is reached from another", "guards cannot be written as Python"
)
ACCESSOR_TEXT: Final = Probe(
    "GuardAccessor.repr", "which attribute or item is read", "guards cannot be written as Python"
)
CHECK: Final = Probe("RootGuardManager.check", "check guards as a call does", "costs and skipped guards are not known")
SKIPPED_IF_UNCHANGED: Final = Probe(
    "GuardManager.is_tag_safe",
    "tell whether guards on a module may be skipped",
    "whether a call asks guards on a module that is as it was is not known before it",
)
CHECK_VERBOSE: Final = Probe(
    "RootGuardManager.check_verbose", "ask torch which guard fails", "what torch says to a failing guard is not known"
)
ANSWER_HOLDS: Final = Probe(
    "GuardDebugInfo.result", "whether guards hold for a call", "what torch says to a call is not known"
)
ANSWER_PARTS: Final = Probe(
    "GuardDebugInfo.verbose_code_parts", "which guard fails", "what torch says to a failing guard is not known"
)
GUARD_VARIABLES: Final = Probe(
    "GuardManagerWrapper.closure_vars",
    "the torch function modes that a guard expects",
    "guards on torch function modes cannot be written as Python",
)
NODE_KEY_VALUES: Final = Probe(
    "DictGuardManager.get_key_value_managers", "the guards on keys and values of a dict", "guards are missing"
)
NODE_SOURCE: Final = Probe("GuardManager.get_source", "what a guard looks at", "the source of a guard is not known")
NODE_FAILURES: Final = Probe(
    "GuardManager.fail_count", "how often a guard failed", "how often guards failed is not known"
)
NODE_TYPE: Final = Probe(
    "GuardManager.get_type_of_guarded_value",
    "tell modules and libraries from the user's values",
    "guards are grouped by the look of their source alone, and those on tensors and dicts are not made Python",
)
LEAF_PARTS: Final = Probe("LeafGuard.verbose_code_parts", "the text of a guard", "the text of a guard is not known")
EPILOGUE: Final = Probe(
    "RootGuardManager.get_epilogue_lambda_guards", "guards on shapes", "guards on shapes are missing"
)
