"""The end of a run: every function in one line, why it broke and recompiled, and the details that were asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from unjit.model import Compile, Function, GraphBreak, Name, Report, Unknown, known_or
from unjit.render.captures.happened import Happened
from unjit.render.forms.outline import count
from unjit.render.forms.places import full
from unjit.render.forms.text import text
from unjit.render.functions.compiles import breaks_in, wrapped
from unjit.render.functions.summary import state, summary_line, wrapper


def render_run(report: Report, *, verbose: bool = False, only: str | None = None) -> str:
    """The text at the end of `unjit run`.

    `verbose` adds everything about every function, `only` everything about the functions of this name.
    """
    lines = overview(report)
    if only is not None:
        lines += ["", *chosen(report, only)]
    elif verbose:
        lines += ["", text(replace(report, losses=()))]
    else:
        lines.append("More: unjit run --verbose (entries, guards, code, graphs), --only NAME, --json [FILE]")
    return "\n".join(lines)


def overview(report: Report) -> list[str]:
    """Every function in one line, why it broke and recompiled, and what could not be read."""
    happened = Happened()
    for function, compile_ in all_compiles(report):
        happened.add(function.key, compile_)
    lines = [headline(report), *function_lines(report)]
    lines += _titled("Failed compiles:", happened.failure_lines())
    lines += _titled("Graph breaks:", happened.break_lines()) + _titled("Recompiles:", happened.recompile_lines())
    lines += _titled("Without CUDA graphs:", happened.skip_lines())
    return [*lines, *(f"  ! {loss}" for loss in report.losses)]


def _titled(title: str, lines: Iterable[str]) -> list[str]:
    found = list(lines)
    return [title, *found] if found else []


def headline(report: Report, *, whole: bool = True) -> str:
    """What the run came to, in one line; unless that is the `whole` of it, at least."""
    compiles = [found for _, found in all_compiles(report)]
    recompiles = sum(1 for found in compiles if not isinstance(found.failed_guards, Unknown) and found.failed_guards)
    seconds = [found.seconds for found in compiles if not isinstance(found.seconds, Unknown)]
    parts = [
        count(len(shown(report)), "function"),
        count(len(compiles), "compile") + (f" in {sum(seconds):.1f} s" if seconds or not compiles else ""),
        count(len(breaks_met(report)), "graph break"),
        count(recompiles, "recompile"),
    ]
    saw = f"Dynamo saw {'' if whole else 'at least '}{', '.join(parts)}"
    return f"unjit: {saw} (torch {report.torch_version}, Python {report.python_version})"


def shown(report: Report) -> list[Function]:
    """The functions that Dynamo compiled or tried to; resume functions that no call reached are left out."""
    return [function for function in report.functions if function.entries or function.compiles]


def function_lines(report: Report) -> list[str]:
    """One line for each function, its resume functions after it and indented."""
    return [f"  {'  ' if function.resume else ''}{summary_line(function)}" for function in _in_order(shown(report))]


def _in_order(functions: list[Function]) -> Iterator[Function]:
    """Each function, then those in which it goes on after breaks; at the end resume functions of none of these."""
    waiting = {function.key: function for function in functions}
    for root in sorted(functions, key=lambda function: function.resume is not None):
        keys = [root.key]
        while keys:
            function = waiting.pop(keys.pop(), None)
            if function is not None:
                yield function
                keys += reversed(function.resume_functions)


def all_compiles(report: Report) -> Iterator[tuple[Function, Compile]]:
    """Every compile that is known of, with its function."""
    for function in report.functions:
        for found in known_or(function.compiles, ()):
            yield function, found


def breaks_met(report: Report) -> dict[GraphBreak, list[tuple[Function, Compile]]]:
    """Each graph break once, whoever called, with the compiles that met it."""
    met: dict[GraphBreak, list[tuple[Function, Compile]]] = {}
    for function, compile_ in all_compiles(report):
        for found in breaks_in(compile_):
            met.setdefault(found, []).append((function, compile_))
    return met


def chosen(report: Report, name: str) -> list[str]:
    """Everything about the functions of this name and the resume functions in which they continue."""
    roots = [function for function in report.functions if name in _names(function)]
    roots = roots or [function for function in report.functions if name in _names_inside(function)]
    if not roots:
        return [f"unjit: {_not_there(report, name)}"]
    keys = reachable(report, (function.key for function in roots))
    part = tuple(function for function in report.functions if function.key in keys)
    return [text(replace(report, roots=tuple(function.key for function in roots), functions=part, losses=()))]


def why_no_step(report: Report, name: str) -> list[str]:
    """Why `--step NAME` stopped nowhere, if it is for want of code that could run."""
    named = [function for function in report.functions if name in _names(function)]
    if any(function.entries for function in named):
        return []
    why = "; ".join(f"{function.key} has no compiled code: {state(function)}" for function in named)
    return [f"unjit: --step stopped nowhere: {why or _not_there(report, name)}"]


def _not_there(report: Report, name: str) -> str:
    bare = [one for one in report.functions if one.qualname == name.rpartition(".")[2] and not one.entries]
    if bare:  # of a function that was given up at once, torch keeps no other name
        why = "; ".join(f"{one.key} ({_place(one)}) has no compiled code: {state(one)}" for one in bare)
        return f"no function is called {name!r}; {why}"
    there = ", ".join(dict.fromkeys(map(_called, shown(report)))) or "none"
    return f"no function is called {name!r}; there are: {there}"


def _called(function: Function) -> str:
    """The name to ask by; of a wrapper also what it is around, by which a person would ask."""
    inside = " and ".join(wrapper(function))
    return f"{function.key} ({inside})" if inside else function.key


def _place(function: Function) -> str:
    return full(function.place)


def _names(function: Function) -> set[str]:
    return {str(function.key), str(function.qualname), function.qualname.rpartition(".")[2]}


def _names_inside(function: Function) -> set[str]:
    """What the functions are called that a wrapper was compiled for."""
    inside = wrapped(known_or(function.compiles, ()))
    return {*inside, *(name.rpartition(".")[2] for name in inside)}


def reachable(report: Report, keys: Iterable[Name]) -> set[Name]:
    """These functions and all resume functions in which they continue."""
    found: set[Name] = set()
    pending = list(keys)
    while pending:
        key = pending.pop()
        if key not in found:
            found.add(key)
            function = report.function(key)
            pending += [
                *function.resume_functions,
                *(to for entry in function.entries for to in entry.resume_functions),
            ]
    return found
