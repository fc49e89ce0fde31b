"""docs/support.md and docs/private-names.md, from the results of the matrix and the table of probes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import support
from pairs import ROOT
from results import Result, all_results
from tables import table
from unjit.torch_private.probes.probe import Probe
from unjit.torch_private.probes.table import PROBES


def everything() -> None:
    """Write both pages."""
    results = all_results()
    save("support.md", support.page(results))
    save("private-names.md", names(results))


def save(name: str, lines: Iterable[str]) -> None:
    """Write a page of the documentation."""
    (ROOT / "docs" / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def names(results: list[Result]) -> Iterator[str]:
    """Each private name: what for, what is lost without it, where it is missing."""
    yield "# Private names of torch that unjit touches"
    yield ""
    yield "Written by `make matrix` from `src/unjit/torch_private/probes/`. Each name is looked up by a probe: where"
    yield "it is missing, unjit says what cannot be told, and goes on. Attributes of objects exist only on objects that"
    yield "a compile has made; whether they are there shows in the tests."
    releases = dict.fromkeys(found.pair.partition("-")[0] for found in support.in_order(results))
    if releases:
        yield f"\nLooked up in torch {', '.join(releases)}."
    for title, attributes in (("Names in modules", False), ("Attributes of objects", True)):
        yield from ["", f"## {title}", ""]
        found = [] if attributes or not results else ["missing in"]  # unknown where nothing was run
        header = ["name", "what for", "without it", "public name instead", *found]
        yield from table(header, (row(probe, results) for probe in PROBES if probe.is_attribute is attributes))


def row(probe: Probe, results: list[Result]) -> list[str]:
    """One line of the table of names."""
    facts = [f"`{probe.name}`", probe.purpose, probe.loss, probe.public or ""]
    return facts if probe.is_attribute or not results else [*facts, missing_in(probe.name, support.in_order(results))]


def missing_in(name: str, results: list[Result]) -> str:
    """The releases of torch that lack a name, with the Pythons where only some do."""
    lacking: dict[str, list[str]] = {}
    looked: dict[str, list[str]] = {}
    for found in results:
        torch, _, python = found.pair.partition("-")
        looked.setdefault(torch, []).append(python)
        if name in found.missing:
            lacking.setdefault(torch, []).append(python)
    return ", ".join(
        torch if pythons == looked[torch] else f"{torch} on {' and '.join(pythons)}"
        for torch, pythons in lacking.items()
    )


if __name__ == "__main__":
    everything()
