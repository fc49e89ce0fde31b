"""Compiled files: the code object in a `.pyc` of the running Python, and one sentence about any other."""

from __future__ import annotations

import importlib.util
import marshal
import subprocess
import sys
from pathlib import Path
from types import CodeType

from unjit.bytecode.errors import BytecodeError
from unjit.bytecode.instructions.decode import decode
from unjit.bytecode.nested import with_nested

_HEADER = 16  # magic number, flags, then time and size of the source or its hash
_KNOWN_FLAGS = 0b11
_SECONDS = 20
# The first magic number of each version, and what follows a magic number (CPython, pycore_magic_number.h).
_FIRST_MAGIC = {
    (3, 6): 3360,
    (3, 7): 3390,
    (3, 8): 3400,
    (3, 9): 3420,
    (3, 10): 3430,
    (3, 11): 3450,
    (3, 12): 3500,
    (3, 13): 3550,
    (3, 14): 3600,
    (3, 15): 3650,
    (3, 16): 3700,
}
_BEHIND_MAGIC = b"\r\n"
_PACKAGES = str(Path(__file__).parents[2])
_TRY = "from unjit.bytecode.pyc import try_to_load; sys.exit(try_to_load())"
_REFUSED = 3  # the exit status of the process that tries


def looks_like_pyc(data: bytes) -> bool:
    return data[2:4] == _BEHIND_MAGIC


def code_of_pyc(data: bytes) -> CodeType:
    """The code object in the contents of a `.pyc` file. Nothing in it is run.

    Raises BytecodeError, whose message says what is wrong, for a file that is truncated, corrupt or of another Python.
    """
    if not looks_like_pyc(data):
        raise BytecodeError("it does not start as a .pyc file does")
    if data[:4] != importlib.util.MAGIC_NUMBER:
        here = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise BytecodeError(f"it was compiled by {_version_of(data)}, and this is Python {here}")
    if len(data) <= _HEADER:
        raise BytecodeError("it is truncated: there is nothing after its header")
    if int.from_bytes(data[4:8], "little") & ~_KNOWN_FLAGS:
        raise BytecodeError("it is corrupt: its header has flags that do not exist")
    code = _load(data[_HEADER:])
    if not isinstance(code, CodeType):
        raise BytecodeError(f"it holds no code but an object of type {type(code).__name__}")
    return code


def _version_of(data: bytes) -> str:
    magic = int.from_bytes(data[:2], "little")
    below = [version for version, first in _FIRST_MAGIC.items() if first <= magic]
    if not below or below[-1] == max(_FIRST_MAGIC):
        return f"a Python with magic number {magic}"
    return f"Python {below[-1][0]}.{below[-1][1]}"


def _load(data: bytes) -> object:
    """What is stored; in a process of its own first, since reading what is corrupt can bring an interpreter down."""
    command = [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {_PACKAGES!r}); {_TRY}"]
    try:
        tried = subprocess.run(  # noqa: S603  # the same interpreter, on a constant
            command, input=data, capture_output=True, timeout=_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise BytecodeError(f"it is corrupt: reading it takes more than {_SECONDS} seconds") from None
    if tried.returncode == _REFUSED:
        raise BytecodeError(tried.stdout.decode(errors="replace"))
    if tried.returncode:
        raise BytecodeError("it is corrupt: reading it brings Python down")
    return marshal.loads(data)  # noqa: S302  # data that was just read safely


def try_to_load() -> int:
    """In a process of its own: whether standard input holds what can be read. The exit status, 0 if so."""
    try:
        found = marshal.loads(sys.stdin.buffer.read())  # noqa: S302  # that is what this process is for
        for code in with_nested(found) if isinstance(found, CodeType) else ():
            decode(code)
    except BytecodeError as error:
        print(f"it is corrupt: {error}", end="")
    except EOFError:
        print("it is truncated: it ends in the middle", end="")
    except Exception as error:  # marshal promises no more than that
        print(f"it is corrupt: {error}", end="")
    else:
        return 0
    return _REFUSED
