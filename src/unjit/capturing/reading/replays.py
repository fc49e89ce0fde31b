"""What torch's caches bring back from another program.

On a hit, torch writes into its trace the texts that were made when the cache was filled: graphs whose comments name
the lines of whichever program that was. The code that runs is real; what is said about its origin may be false. So the
graphs are left out, and the code is kept without its comments. Of a log, where the program cannot be run again with a
cache of its own, the graphs are kept under names that say so, without their comments.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

FX_HIT: Final = "fx_graph_cache_hit"
AOT_HIT: Final = "aotautograd_cache_hit"
REASON: Final = (
    "torch took it from its cache, filled by another compile: its lines and names may be another program's; with "
    "fresh=True (unjit run --fresh) torch makes it anew"
)
_LABEL: Final = (
    "# torch took it from its cache, filled by another compile: names may be another program's; comments, which tell\n"
    "# of lines of that program, are left out."
)
# Texts that come from the cache, by the record that tells of the hit.
_FX: Final = {
    "fx_graph_runnable",
    "inductor_post_grad_graph",
    "inductor_provenance_tracking_node_mappings",
    "inductor_provenance_tracking_kernel_stack_traces",
}
_AOT: Final = {
    "aot_joint_graph",
    "aot_forward_graph",
    "aot_backward_graph",
    "aot_inference_graph",
    "aot_forward_graph_fw_metadata",
    "aot_inference_graph_fw_metadata",
    "aot_forward_graph_fw_subclass_metadata",
}
_OF_LINES: Final = {  # nothing is left of them without the other program's lines and names
    "inductor_provenance_tracking_node_mappings",
    "inductor_provenance_tracking_kernel_stack_traces",
}


def replayed(hit: str, origins: list[str]) -> list[int]:
    """The indices of the texts that a hit brought back, among the texts so far by their kinds."""
    return _of_the_last_graph(origins) if hit == FX_HIT else _last_in_a_row(origins)


def _of_the_last_graph(origins: list[str]) -> list[int]:
    first = max((at for at, origin in enumerate(origins) if origin == "fx_graph_runnable"), default=0)
    return [at for at, origin in enumerate(origins) if at >= first and origin in _FX]


def _last_in_a_row(origins: list[str]) -> list[int]:
    """AOTAutograd's texts come back one after the other; earlier ones are of other pieces of the graph."""
    last = max((at for at, origin in enumerate(origins) if origin in _AOT), default=-1)
    first = last
    while first > 0 and origins[first - 1] in _AOT:
        first -= 1
    return list(range(first, last + 1)) if last >= 0 else []


def is_replay(metadata: Mapping[str, Any]) -> bool:
    """Whether a record tells that it is replayed: fresh post-grad graphs are artifacts, cached ones are not."""
    return "inductor_post_grad_graph" in metadata


def without_comments(code: str) -> str:
    """Inductor's code with its comment lines blank, so that the others keep their numbers."""
    return "\n".join("" if line.lstrip().startswith("# ") else line for line in code.split("\n"))


def set_apart(origin: str, text: str) -> str | None:
    """A text that a cache brought back, as it may be shown: without comment lines, and labelled; None if it may not."""
    if origin in _OF_LINES:
        return None
    kept = (line for line in text.splitlines() if not line.lstrip().startswith("#"))
    return "\n".join([_LABEL, *kept]) + "\n"
