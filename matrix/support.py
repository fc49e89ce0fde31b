"""docs/support.md: what works where, from the results alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from features import FEATURES
from pairs import PAIRS
from results import Result
from tables import table

INTRODUCTION = """\
# What works where

Written by `make matrix` from test results, not by hand. Each pair of torch and Python got tests of each feature
(`matrix/features.py` says which), or where it says so the whole suite (`make matrix WHOLE=1`).

- **works**: all its tests passed.
- **in part**: some did; the others were refused, or failed. Which and why stands below.
- **refused**: this torch or Python lacks what the feature needs. unjit says so and does nothing.
- **fails**: no test passed.
- **not tried**: all were skipped, because the machine lacked something.
- Where there is nothing, these tests were not run on the pair.

torch 2.9.1 can be installed for Python 3.14, but there `torch.compile` says that it is not supported: unjit decompiles,
and `unjit doctor` and `unjit run` pass on torch's words.
"""


def page(results: list[Result]) -> Iterator[str]:
    """The lines of the page."""
    results = in_order(results)
    yield from INTRODUCTION.splitlines()
    yield from overview(results)
    yield from made_from(results)
    for torch, found in by_release(results).items():
        yield from ["", f"## torch {torch}", "", *release(found)]


def in_order(results: list[Result]) -> list[Result]:
    """The results, as the pairs are listed; those of pre-releases last."""
    order = {str(pair): n for n, pair in enumerate(PAIRS)}
    return sorted(results, key=lambda found: order.get(found.pair, len(order)))


def by_release(results: list[Result]) -> dict[str, list[Result]]:
    """The results of each release of torch."""
    found: dict[str, list[Result]] = {}
    for result in results:
        found.setdefault(result.pair.partition("-")[0], []).append(result)
    return found


def python_of(found: Result) -> str:
    return found.pair.partition("-")[2]


def overview(results: list[Result]) -> Iterator[str]:
    """A line for each feature, a column for each release of torch."""
    releases = by_release(results)
    rows = ([feature, *(summed(found, feature) for found in releases.values())] for feature in FEATURES)
    yield ""
    yield from table(["", *(f"torch {torch}" for torch in releases)], rows)


def summed(results: list[Result], feature: str) -> str:
    """One word for a release where its Pythons agree, else one for each."""
    words: dict[str, list[str]] = {}
    for found in results:
        words.setdefault(word(counted(found, feature)), []).append(python_of(found))
    if len(words) == 1:
        return next(iter(words))
    return "; ".join(f"{said} on {', '.join(pythons)}" for said, pythons in words.items() if said)


def made_from(results: list[Result]) -> Iterator[str]:
    """What each pair's results are of."""
    yield from ["", "## What this was made from", ""]
    yield from table(
        ["torch", "Python", "tests", "passed", "failed", "refused", "skipped", "known faults", "commit"],
        (facts(found) for found in results),
    )


def facts(found: Result) -> list[str]:
    """A line about one run."""
    total = sum((Counter(outcomes) for outcomes in found.tests.values()), Counter[str]())
    kinds = ("passed", "failed", "refused", "skipped", "known fault")
    which = "the suite" if found.whole else "selected"
    return [found.torch, found.python, which, *(str(total[kind] or "") for kind in kinds), found.commit]


def release(results: list[Result]) -> Iterator[str]:
    """Numbers of tests that passed, by feature and Python, then what did not."""
    yield "Tests that passed of those that ran or were refused:"
    yield ""
    yield from table(
        ["", *map(python_of, results)],
        ([feature, *(numbers(counted(found, feature)) for found in results)] for feature in FEATURES),
    )
    others = {"Failed": failed(results), "Refused": told(results, "refused"), "Skipped": told(results, "skipped")}
    for title, lines in others.items():
        if lines:
            yield from ["", f"{title}:", "", *(f"- {line} ({', '.join(where)})" for line, where in lines.items())]


def counted(found: Result, feature: str) -> Counter[str]:
    """The outcomes of a feature's tests."""
    return sum((Counter(found.tests.get(file, {})) for file in FEATURES[feature]), Counter[str]())


def word(outcomes: Counter[str]) -> str:
    """What the outcomes come to."""
    passed, failed, refused = (outcomes[kind] for kind in ("passed", "failed", "refused"))
    if passed:
        return "in part" if failed or refused else "works"
    if failed:
        return "fails"
    if refused:
        return "refused"
    return "not tried" if outcomes["skipped"] else ""


def numbers(outcomes: Counter[str]) -> str:
    """`works, 120`, or `in part, 118 of 120`."""
    asked = outcomes["passed"] + outcomes["failed"] + outcomes["refused"]
    count = str(asked) if outcomes["passed"] == asked else f"{outcomes['passed']} of {asked}"
    return f"{word(outcomes)}, {count}" if asked else word(outcomes)


def failed(results: list[Result]) -> dict[str, list[str]]:
    """The tests that failed, and on which Pythons."""
    lines: dict[str, list[str]] = {}
    for found in results:
        for test in found.failures:
            lines.setdefault(f"`{test}`", []).append(python_of(found))
    return lines


def told(results: list[Result], outcome: str) -> dict[str, list[str]]:
    """Why tests of features were refused or skipped, and on which Pythons how many."""
    lines: dict[str, Counter[str]] = {}
    for found in results:
        for feature, files in FEATURES.items():
            for file in files:
                for reason, number in found.reasons.get(file, {}).get(outcome, {}).items():
                    lines.setdefault(f"{feature}: {reason}", Counter())[python_of(found)] += number
    return {line: [f"{number} on {python}" for python, number in where.items()] for line, where in lines.items()}
