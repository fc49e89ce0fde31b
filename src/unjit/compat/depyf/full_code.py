"""depyf's `full_code_for_…`: guards, graphs, transformed code and a dispatcher of one function, as one Python text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from unjit.directory.stable import ID
from unjit.guards.source import source_of
from unjit.model import Code, Entry, Function, Guards, Report, Unknown, from_plain, to_plain
from unjit.observe.functions.names import unused


def full_code(report: Report, function: Function) -> str:
    """The text. Valid Python; it shows what happens and is not meant to be run."""
    return "\n\n\n".join(_parts(report, function, {})) + "\n"


def _parts(report: Report, function: Function, told: dict[str, str]) -> Iterator[str]:
    """The pieces of a function's text, those of its resume functions first, each function once.

    `told` has the names of those that have begun: both arms of a choice on one line go on in functions of one name.
    """
    name = told[function.key] = unused(_name(function), told.values())
    for entry in function.entries:
        for key in entry.resume_functions:
            if key not in told:
                yield from _parts(report, report.function(key), told)
    for entry in function.entries:
        yield _guard(name, function, entry)
        yield from (f"def {graph.name}(*args, **kwargs):\n    pass  # a compiled graph" for graph in entry.graphs)
        yield _transformed(name, entry)
    yield _original(function)
    yield _dispatcher(name, function)


def _name(function: Function) -> str:
    return re.sub(r"\W", "_", function.qualname.rpartition(".")[2])


def _guard(of: str, function: Function, entry: Entry) -> str:
    name = f"__guard_{entry.index}_for_{of}"
    if isinstance(entry.guards, Unknown):
        return f"def {name}(L, G, **___kwargs_ignored):\n    raise LookupError({str(entry.guards.reason)!r})"
    text = source_of(
        _with_names_for_addresses(entry.guards), f"when entry {entry.index} of {function.qualname} runs"
    ).text
    return re.sub(r"def guards\(L\):", f"def {name}(L, G=None, **___kwargs_ignored):", text, count=1).rstrip()


def _with_names_for_addresses(guards: Guards) -> Guards:
    """A capture leaves addresses out, since they differ from run to run; a name keeps the text valid Python."""
    named = json.loads(json.dumps(to_plain(guards)).replace(ID, "ADDRESS"))
    read = from_plain(Guards, named)
    assert isinstance(read, Guards)
    return read


def _transformed(of: str, entry: Entry) -> str:
    name = f"__transformed_code_{entry.index}_for_{of}"
    if not isinstance(entry.code, Code):
        reason = entry.code.reason if isinstance(entry.code, Unknown) else "Dynamo keeps no code for it"
        return f"def {name}(*args, **kwargs):\n    raise LookupError({str(reason)!r})"
    defined = re.compile(rf"\bdef {re.escape(entry.code.name)}\(")
    return f"# {entry.code.verdict}\n" + defined.sub(f"def {name}(", entry.code.source, count=1).rstrip()


def _original(function: Function) -> str:
    place = function.place
    return f"# {function.qualname} is defined in {place.file}, line {place.line}"


def _dispatcher(name: str, function: Function) -> str:
    lines = [f"def transformed_{name}(*args, **kwargs):"]
    lines += ["    __local_dict = {'args': args, 'kwargs': kwargs}", "    __global_dict = globals()"]
    for entry in function.entries:
        lines.append(f"    if __guard_{entry.index}_for_{name}(__local_dict, __global_dict):")
        lines.append(f"        return __transformed_code_{entry.index}_for_{name}(*args, **kwargs)")
    lines.append("    # no entry fits: Dynamo compiles the function anew, or runs it as it is written")
    lines.append(f"    return {name}(*args, **kwargs)")
    return "\n".join(lines)
