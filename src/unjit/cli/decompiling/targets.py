"""What `unjit decompile` is asked for: a file, a module, something in either, or standard input.

Only `module:qualname` imports anything; nothing else runs code of the user's.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType

from unjit.cli.decompiling.files import is_file, of_data, of_file
from unjit.cli.decompiling.modules import imported, in_folder, of_module
from unjit.cli.decompiling.target import BadRequest, Target
from unjit.decompiler.kinds import is_hidden

_DOTTED = "json.decoder:JSONDecoder.decode"
EXAMPLES = f"a .py or .pyc file, a module, module:qualname ({_DOTTED}), file:qualname, or -"


def find(target: str) -> Target:
    """What the request names. BadRequest says in one sentence why there is nothing."""
    if target == "-":
        return _of_standard_input()
    if is_file(target):
        return of_file(Path(target))
    if ":" not in target:
        return _of_module(target)
    place, _, qualname = target.rpartition(":")
    if is_file(place) and qualname:
        return _inside(of_file(Path(place)), qualname)
    _check_form(target, place, qualname)
    return Target(target, imported(place, qualname))


def _of_standard_input() -> Target:
    if sys.stdin is None:
        raise BadRequest("cannot read standard input: it is closed")
    try:
        data = sys.stdin.buffer.read()
    except OSError as error:
        raise BadRequest(f"cannot read standard input: {error.strerror or error}") from None
    return of_data(data, "standard input")


def _of_module(name: str) -> Target:
    found = of_module(name)
    if found is not None:
        return found
    if Path(name).is_dir():
        raise BadRequest(f"{name} is a folder: {in_folder(name)}")
    raise BadRequest(f"there is no file and no module {name!r}; the target can be {EXAMPLES}")


def _inside(file: Target, qualname: str) -> Target:
    """The code of a function or class in the file, found by the names on the way to it."""
    code = file.code
    for name in qualname.replace(".<locals>", "").split("."):
        assert isinstance(code, CodeType)
        inner = [c for c in _definitions_in(code) if c.co_name == name]
        if not inner:
            missing = "" if name == qualname else f": there is no {name!r}"
            raise BadRequest(f"{file.name} has no {qualname!r}{missing}")
        code = inner[-1]  # of several definitions the last is what the name means in the end
    return Target(f"{file.name}:{qualname}", code, file.source)


def _definitions_in(code: CodeType) -> Iterator[CodeType]:
    """What is defined in it; what has type parameters is defined in a hidden function that makes these."""
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from _definitions_in(const) if is_hidden(const) else (const,)


def _check_form(target: str, module: str, qualname: str) -> None:
    """Before anything is imported: of `runs.py:f:g` Python would import, and so run, runs, to look for a py in it."""
    if ":" in module:
        raise BadRequest(
            f"{target!r} has more than one colon: write what is in a function or class with dots, as in {_DOTTED}"
        )
    if not (_is_dotted(module) and _is_dotted(qualname)):
        raise BadRequest(f"{target!r} is not of the form file:qualname or module:qualname, as in {_DOTTED}")


def _is_dotted(name: str) -> bool:
    return all(part.isidentifier() for part in name.split("."))
