"""docs/support.md and docs/private-names.md, from the results of the matrix and the table of probes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from pairs import PAIRS, ROOT
from results import Result, all_results
from unjit.torch_private.probe import Probe
from unjit.torch_private.probes import PROBES

# What a user knows a feature by, and the beginnings of the names of its test files.
FEATURES = {
    "decompile": ("test_decompiler", "test_verifier", "test_bytecode", "test_cli."),
    "explain": ("test_explain", "test_model", "test_render", "test_plain", "test_probes"),
    "run": ("test_run", "test_recorder", "test_cli_conclude"),
    "generated code replaced": ("test_replacement",),
    "count_calls": ("test_counting",),
    "wrap": ("test_wrap",),
    "doctor": ("test_doctor",),
    "capture": ("test_capture", "test_directory"),
    "step and debug": ("test_step", "test_debug"),
    "guards": ("test_guards", "test_why", "test_diff"),
    "rewrite": ("test_rewrite", "test_install", "test_dispatch"),
}


def everything() -> None:
    """Write both pages."""
    results = all_results()
    (ROOT / "docs" / "support.md").write_text("\n".join(support(results)) + "\n", encoding="utf-8")
    (ROOT / "docs" / "private-names.md").write_text("\n".join(names(results)) + "\n", encoding="utf-8")


def support(results: list[Result]) -> Iterator[str]:
    """The table of features by version."""
    order = {str(pair): n for n, pair in enumerate(PAIRS)}
    results = sorted(results, key=lambda found: order.get(found.pair, len(order)))
    yield "# What works where"
    yield ""
    yield "Written by `make matrix` from test results; not by hand. A cell says how many tests of a feature passed, and"
    yield "how many failed, or were skipped because that torch or Python lacks what they are about. A pair that is not"
    yield "here was not run."
    yield ""
    features = [name for name in FEATURES if any(sum(counted(found, name).values()) for found in results)]
    yield from table(
        ["torch, Python", *features, "commit"],
        (
            [found.pair.replace("-", ", "), *(cell(counted(found, name)) for name in features), found.commit]
            for found in results
        ),
    )
    for found in results:
        if found.failures:
            yield from ["", f"## Failures on {found.pair}", "", *(f"- `{failure}`" for failure in found.failures)]


def counted(found: Result, feature: str) -> Counter[str]:
    """The outcomes of a feature's tests."""
    total: Counter[str] = Counter()
    for path, outcomes in found.tests.items():
        if f"{path}.".startswith(FEATURES[feature]):
            total.update(outcomes)
    return total


def cell(outcomes: Counter[str]) -> str:
    """`120`, or `118, 2 failed`."""
    kinds = [f"{outcomes[kind]} {kind}" for kind in ("failed", "skipped") if outcomes[kind]]
    return ", ".join([str(outcomes["passed"]), *kinds]) if sum(outcomes.values()) else "-"


def names(results: list[Result]) -> Iterator[str]:
    """Each private name: what for, what is lost without it, where it is missing."""
    yield "# Private names of torch that unjit touches"
    yield ""
    yield "Written by `make matrix` from `src/unjit/torch_private/probes.py`. Each name is looked up by a probe: where"
    yield "it is missing, unjit says what cannot be told, and goes on. Attributes of objects exist only on objects that"
    yield "a compile has made; whether they are there shows in the tests."
    for title, attributes in (("Names in modules", False), ("Attributes of objects", True)):
        yield from ["", f"## {title}", ""]
        found = [] if attributes or not results else ["missing in"]  # unknown where nothing was run
        header = ["name", "what for", "without it", "public name instead", *found]
        yield from table(header, (row(probe, results) for probe in PROBES if probe.is_attribute is attributes))


def row(probe: Probe, results: list[Result]) -> list[str]:
    """One line of the table of names."""
    facts = [f"`{probe.name}`", probe.purpose, probe.loss, probe.public or ""]
    versions = dict.fromkeys(found.pair.partition("-")[0] for found in results if probe.name in found.missing)
    return facts if probe.is_attribute or not results else [*facts, ", ".join(versions)]


def table(header: list[str], rows: Iterable[list[str]]) -> Iterator[str]:
    """A table in Markdown."""
    yield f"| {' | '.join(header)} |"
    yield f"|{' --- |' * len(header)}"
    for cells in rows:
        yield f"| {' | '.join(text.replace('|', chr(92) + '|') for text in cells)} |"


if __name__ == "__main__":
    everything()
