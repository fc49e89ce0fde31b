"""Files to decompile: the code in a compiled file, or what source text compiles to. Nothing in them is run."""

from __future__ import annotations

import importlib.util
import warnings
import zipfile
from dataclasses import replace
from pathlib import Path
from types import CodeType

from unjit.bytecode import BytecodeError
from unjit.bytecode.pyc import code_of_pyc, looks_like_pyc
from unjit.cli.decompiling.target import BadRequest, Target


def is_file(name: str) -> bool:
    """Whether a file is meant, be it there or not."""
    return name.endswith((".py", ".pyc")) or (bool(name) and Path(name).is_file())


def of_file(path: Path) -> Target:
    """The code of a file. BadRequest says why it cannot be read, or does not compile."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BadRequest(f"cannot read {path}: {error.strerror}") from None
    try:
        found = of_data(data, str(path))
    except BadRequest:
        if zipfile.is_zipfile(path):
            raise BadRequest(f"{path} is a zip file: put it on PYTHONPATH, and name a module in it") from None
        raise
    if found.source is not None or not isinstance(found.code, CodeType):
        return found
    return replace(found, source=text_of(Path(found.code.co_filename)))


def text_of(path: Path) -> str | None:
    """The text of a source file; None where it cannot be read."""
    try:
        return importlib.util.decode_source(path.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return None


def of_data(data: bytes, name: str) -> Target:
    """The code in the contents of a compiled file, or of source text. BadRequest as for a file."""
    try:
        if looks_like_pyc(data) or name.endswith(".pyc"):
            return Target(name, code_of_pyc(data))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            code = compile(data, name, "exec", dont_inherit=True)
        return Target(name, code, importlib.util.decode_source(data))
    except BytecodeError as error:
        raise BadRequest(f"{name}: {error}") from None
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise BadRequest(f"{name} does not compile: {' '.join(str(error).split())}") from None
