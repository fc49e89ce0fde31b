"""The program of the trial, run in a process of its own: `python -m unjit.diagnosis.toy BACKEND …`.

Prints one line of JSON for each backend, so that what was found until then is known if a backend ends the process.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import unjit
from unjit.model import Entry, Function, Report, Unknown, headline
from unjit.model.words.wording import in_words


def toy(a: Any, b: Any) -> Any:
    """A branch on data: Dynamo has to break the graph and go on in a resume function."""
    x = a / (abs(a) + 1)
    if b.sum() < 0:
        b = b * -1
    return x * b


def main(backends: list[str]) -> None:
    """Try each backend and print what was seen."""
    for backend in backends:
        try:
            found = attempt(backend)
        except Exception as error:
            found = {"state": "missing", "says": headline(in_words(error))}
        print(json.dumps({"backend": backend, **found}), flush=True)


def attempt(backend: str) -> dict[str, str]:
    """Compile the toy example twice and look at all that unjit says of it."""
    import torch

    torch.compiler.reset()
    compiled = torch.compile(toy, backend=backend)
    same = all(torch.allclose(compiled(*inputs), toy(*inputs)) for inputs in examples(torch))
    report = unjit.explain(compiled).report
    lacks = [*([] if same else ["results differ from eager"]), *unknowns(report)]
    return {"state": "partly" if lacks else "works", "says": "; ".join([seen(report), *lacks])}


def examples(torch: Any) -> list[tuple[Any, Any]]:
    """Both sides of the branch, and a second shape."""
    return [(torch.ones(size), sign * torch.ones(size)) for size in (4, 6) for sign in (1, -1)]


def seen(report: Report) -> str:
    """What was found, in numbers."""
    entries = [entry for function in report.functions for entry in function.entries]
    graphs = sum(len(entry.graphs) for entry in entries)
    guards = sum(len(entry.guards) for entry in entries if not isinstance(entry.guards, Unknown))
    proved = sum(1 for entry in entries if getattr(entry.code, "verdict", None) in ("identical", "equivalent"))
    resumes = sum(1 for function in report.functions if function.resume)
    return (
        f"{len(entries)} cache entries, {proved} of them proved, {guards} guards, {graphs} graphs, "
        f"{resumes} resume functions"
    )


def unknowns(report: Report) -> list[str]:
    """The reasons of all facts that should be known of a function that was just compiled, each once."""
    found = [fact for function in report.functions for fact in facts(function)]
    return list(dict.fromkeys(str(fact.reason) for fact in found if isinstance(fact, Unknown)))


def facts(function: Function) -> list[object]:
    """What is always known where every hook is there."""
    return [function.compiles, *(fact for entry in function.entries for fact in of_entry(entry))]


def of_entry(entry: Entry) -> list[object]:
    """The same, of one entry."""
    return [entry.compile_id, entry.backend, entry.guards, entry.code]


if __name__ == "__main__":
    main(sys.argv[1:])
