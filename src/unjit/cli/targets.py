"""What `unjit decompile` is asked for: a file, a module, something in either, or standard input.

Only `module:qualname` imports anything; nothing else runs code of the user's.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from types import CodeType

from unjit.bytecode import BytecodeError
from unjit.bytecode.pyc import code_of_pyc, looks_like_pyc

EXAMPLES = "a .py or .pyc file, a module, module:qualname (json.decoder:JSONDecoder.decode), file:qualname, or -"


class BadTargetError(Exception):
    """The request names nothing that can be decompiled; the message is one sentence for the user."""


@dataclass(frozen=True)
class Target:
    """What to decompile, and the text it was compiled from where that is known."""

    name: str
    code: object
    source: str | None = None


def find(target: str) -> Target:
    """What the request names. BadTargetError says in one sentence why there is nothing."""
    if target == "-":
        return _of_data(sys.stdin.buffer.read(), "standard input")
    place, colon, qualname = target.rpartition(":")
    if _is_file(target):
        return _of_file(Path(target))
    if colon and _is_file(place):
        return _inside(_of_file(Path(place)), qualname)
    if colon:
        return Target(target, _imported(target))
    return _of_module(target)


def _is_file(name: str) -> bool:
    return name.endswith((".py", ".pyc")) or (bool(name) and Path(name).is_file())


# ---------------------------------------------------------------- files
def _of_file(path: Path) -> Target:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BadTargetError(f"cannot read {path}: {error.strerror}") from None
    found = _of_data(data, str(path))
    if found.source is not None or not isinstance(found.code, CodeType):
        return found
    return replace(found, source=_text_of(Path(found.code.co_filename)))


def _text_of(path: Path) -> str | None:
    try:
        return importlib.util.decode_source(path.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return None


def _of_data(data: bytes, name: str) -> Target:
    """The code in a compiled file, or of source text."""
    try:
        if looks_like_pyc(data) or name.endswith(".pyc"):
            return Target(name, code_of_pyc(data))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            code = compile(data, name, "exec", dont_inherit=True)
        return Target(name, code, importlib.util.decode_source(data))
    except BytecodeError as error:
        raise BadTargetError(f"{name}: {error}") from None
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise BadTargetError(f"{name} does not compile: {' '.join(str(error).split())}") from None


def _inside(file: Target, qualname: str) -> Target:
    """The code of a function or class in the file, found by the names on the way to it."""
    code = file.code
    for name in qualname.replace(".<locals>", "").split("."):
        assert isinstance(code, CodeType)
        inner = [c for c in code.co_consts if isinstance(c, CodeType) and c.co_name == name]
        if not inner:
            raise BadTargetError(f"{file.name} has no {qualname!r}: there is no {name!r}")
        code = inner[-1]  # of several definitions the last is what the name means in the end
    return Target(f"{file.name}:{qualname}", code)


# ---------------------------------------------------------------- modules
def _of_module(name: str) -> Target:
    """A module's file, found without importing anything, the packages around it included."""
    spec = _spec(name)
    if spec is None:
        raise BadTargetError(f"there is no file and no module {name!r}; the target can be {EXAMPLES}")
    if spec.has_location and spec.origin is not None and spec.origin.endswith((".py", ".pyc")):
        return replace(_of_file(Path(spec.origin)), name=name)
    code = spec.loader.get_code(name) if isinstance(spec.loader, importlib.abc.InspectLoader) else None
    if code is None:
        raise BadTargetError(f"module {name} has no Python bytecode ({spec.origin or 'a namespace package'})")
    return Target(name, code)


# Files first: some modules are frozen into the interpreter as well.
_FINDERS = (
    importlib.machinery.PathFinder,
    importlib.machinery.FrozenImporter,
    importlib.machinery.BuiltinImporter,
)


def _spec(name: str) -> importlib.machinery.ModuleSpec | None:
    _look_in_current_folder()
    path, spec, known = None, None, ""
    for part in name.split("."):
        if not part.isidentifier():
            return None
        known = f"{known}.{part}" if known else part
        found = (finder.find_spec(known, path) for finder in _FINDERS)
        spec = next((spec for spec in found if spec is not None), None)
        if spec is None:
            return None
        path = list(spec.submodule_search_locations or [])
    return spec


def _look_in_current_folder() -> None:
    if "" not in sys.path:
        sys.path.insert(0, "")  # as python -m does: a module in the current directory is found


def _imported(target: str) -> object:
    """What `module:qualname` is when the module has been imported."""
    module_name, _, qualname = target.partition(":")
    if not (module_name and qualname):
        raise BadTargetError(f"{target!r} is not of the form module:qualname, as in json.decoder:JSONDecoder.decode")
    _look_in_current_folder()
    found = import_module(module_name)
    for name in qualname.split("."):
        try:
            found = getattr(found, name)
        except AttributeError:
            raise BadTargetError(f"{module_name} has no {qualname!r}: there is no {name!r}") from None
    return found


def import_module(name: str) -> object:
    """The module of this name; whatever importing it raises becomes one sentence."""
    try:
        return importlib.import_module(name)
    except Exception as error:
        raise BadTargetError(f"cannot import {name}: {type(error).__name__}: {error}") from None
