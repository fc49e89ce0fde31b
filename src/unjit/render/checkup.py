"""The answer of `unjit doctor` as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from unjit.model import Checkup, Finding
from unjit.render.forms.outline import count, fact

_MARKS: Final = {"works": "ok", "partly": "~ ", "missing": "no"}


def checkup_text(checkup: Checkup) -> str:
    """What is there, what works, what a trial showed, and what to do."""
    return "\n".join(_lines(checkup))


def _lines(checkup: Checkup) -> Iterator[str]:
    yield (
        f"unjit {checkup.unjit_version}, Python {checkup.python_version}, torch {fact(checkup.torch_version)}, "
        f"{checkup.platform}"
    )
    yield from _section("Installed:", checkup.parts)
    yield from _section("What works with this torch:", checkup.features)
    yield from _section("The toy example, compiled and explained:", checkup.trials)
    lacking = [hook for hook in checkup.hooks if hook.loss is not None]
    if lacking:
        yield f"Private names of torch that are not there ({len(lacking)} of {len(checkup.hooks)}):"
        yield from (f"  {hook.name}: {hook.loss}" for hook in lacking)
    elif checkup.hooks:
        yield f"All {count(len(checkup.hooks), 'private name')} of torch that unjit looks up are there."
    yield "All is well." if checkup.well else "Not all is well: see the lines above that do not begin with ok."


def _section(title: str, findings: Sequence[Finding]) -> Iterator[str]:
    if findings:
        yield title
        width = max(len(found.name) for found in findings)
        for found in findings:
            yield f"  {_MARKS[found.state]}  {found.name:<{width}}  {found.says}"
            if found.advice:
                yield f"      {'':<{width}}  to do: {found.advice}"
