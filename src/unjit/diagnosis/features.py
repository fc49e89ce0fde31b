"""What of unjit works with this torch, by the private names that each part needs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from unjit.model import Expression, Finding, Hook, Message, Standing, Term, Unknown
from unjit.torch_private.probes import cache_probes, call_probes, graph_probes, table, trace_probes
from unjit.torch_private.probes import history_probes as h
from unjit.torch_private.probes.probe import Probe, import_homes, torch_version

NEEDS: Final[dict[str, tuple[Probe, ...]]] = {
    "explain: cache entries, their guards and code": (cache_probes.CACHE_ENTRIES,),
    "explain: graphs": (graph_probes.GRAPH_MODULE,),
    "explain: resume functions": (
        cache_probes.RESUME_CODES,
        cache_probes.RESUME_METADATA,
        cache_probes.RESUME_GENERATE,
    ),
    "explain: what happened before": (h.METRICS, h.BREAK_REASONS, h.COUNTERS, h.GUARD_FAILURES, h.SEEN_CODES),
    "run: code that is gone at the end": (trace_probes.BYTECODE_HOOK, trace_probes.CURRENT_COMPILE),
    "count_calls": (call_probes.SET_CALL_HOOK, call_probes.GET_CALL_HOOK, call_probes.GENERATED_CODES),
}


def features() -> Iterator[Finding]:
    """Each part of unjit, and what it lacks here."""
    for name, needs in NEEDS.items():
        lacking = [probe for probe in needs if isinstance(probe.get(), Unknown)]
        if not lacking:
            yield Finding(Term(name), "works", Message(f"{len(needs)} of {len(needs)} hooks are there"), None)
        else:
            says = "; ".join(dict.fromkeys(probe.loss for probe in lacking))
            state: Standing = "missing" if len(lacking) == len(needs) else "partly"
            advice = Message(f"torch {torch_version()} does not have it; CI runs unjit with torch 2.13")
            yield Finding(Term(name), state, Message(says), advice)


def hooks() -> Iterator[Hook]:
    """Every private name that is looked up in a module, and whether it is there.

    Attributes of objects are judged by the trial: they exist only on objects that a compile has made. Imports the
    modules that torch itself imports only when they are needed.
    """
    import_homes(table.PROBES)
    for probe in table.PROBES:
        if not probe.is_attribute:
            loss = Message(probe.loss) if isinstance(probe.get(), Unknown) else None
            yield Hook(Expression(probe.name), Message(probe.purpose), loss)
