"""depyf's `full_code_for_…`: guards, graphs, transformed code and a dispatcher of one function, as one Python text."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from typing import Final

from unjit.directory.stable import ID
from unjit.guards.source import source_of
from unjit.model import Code, Entry, Function, Guards, Report, TakenOut, Unknown, from_plain, to_plain
from unjit.observe.functions.names import unused

_READ: Final = re.compile(r"\bL\['([^\W\d]\w*)'\]")
_ANY: Final = ast.arguments([], [], ast.arg("args"), [], [], ast.arg("kwargs"), [])


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
    read: set[str] = set()
    for entry in function.entries:
        guard = _guard(name, function, entry)
        read.update(_READ.findall(guard))
        yield guard
        yield from (f"def {graph.name}(*args, **kwargs):\n    pass  # a compiled graph" for graph in entry.graphs)
        yield from map(_comprehension, entry.comprehensions)
        yield _transformed(name, entry)
    yield _original(function)
    yield _dispatcher(name, function, read)
    if function.resume is not None and function.resume.global_names:
        yield "\n".join(f"{called} = transformed_{name}" for called in function.resume.global_names)


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


def _comprehension(taken_out: TakenOut) -> str:
    place = taken_out.place
    return f"def {taken_out.name}(*args, **kwargs):\n    pass  # the comprehension in {place.file}, line {place.line}"


def _transformed(of: str, entry: Entry) -> str:
    name = f"__transformed_code_{entry.index}_for_{of}"
    if not isinstance(entry.code, Code):
        reason = entry.code.reason if isinstance(entry.code, Unknown) else "Dynamo keeps no code for it"
        return f"def {name}(*args, **kwargs):\n    raise LookupError({str(reason)!r})"
    defined = _defined(entry.code)
    source = str(entry.code.source)
    if defined is not None:
        source = re.sub(rf"\bdef {defined.name}\(", f"def {name}(", source, count=1)
    return f"# {entry.code.verdict}\n{source.rstrip()}"


def _defined(code: Code) -> ast.FunctionDef | None:
    """The function that the source defines, whose name is the code's made a word; none where it was not recovered."""
    functions = (one for one in ast.parse(code.source).body if isinstance(one, ast.FunctionDef))
    return next(functions, None)


def _original(function: Function) -> str:
    place = function.place
    return f"# {function.qualname} is defined in {place.file}, line {place.line}"


def _dispatcher(name: str, function: Function, read: set[str]) -> str:
    """What Dynamo does at a call. `read`: the variables that guards read, of which some are of enclosing functions."""
    codes = (entry.code for entry in function.entries if isinstance(entry.code, Code))
    taken = next((one.args for one in map(_defined, codes) if one is not None), _ANY)
    local = ", ".join(f"{one!r}: {one}" for one in [*_names(taken), *sorted(read.difference(_names(taken)))])
    given = _handed_on(taken)
    lines = [f"def transformed_{name}({ast.unparse(taken)}):"]
    lines += ["    # the names of its arguments are not known"] if taken is _ANY else []
    lines += [f"    __local_dict = {{{local}}}", "    __global_dict = globals()"]
    for entry in function.entries:
        lines.append(f"    if __guard_{entry.index}_for_{name}(__local_dict, __global_dict):")
        lines.append(f"        return __transformed_code_{entry.index}_for_{name}({given})")
    lines.append("    # no entry fits: Dynamo compiles the function anew, or runs it as it is written")
    lines.append(f"    return {name}({given})")
    return "\n".join(lines)


def _names(taken: ast.arguments) -> list[str]:
    """The variables that arguments are in."""
    stars = [star for star in (taken.vararg, taken.kwarg) if star is not None]
    return [one.arg for one in (*taken.posonlyargs, *taken.args, *taken.kwonlyargs, *stars)]


def _handed_on(taken: ast.arguments) -> str:
    """A call's arguments that are those that came."""
    given = [one.arg for one in (*taken.posonlyargs, *taken.args)]
    given += [f"*{taken.vararg.arg}"] if taken.vararg is not None else []
    given += [f"{one.arg}={one.arg}" for one in taken.kwonlyargs]
    given += [f"**{taken.kwarg.arg}"] if taken.kwarg is not None else []
    return ", ".join(given)
