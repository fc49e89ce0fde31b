"""Files that torch names by the ends of their paths, found again.

torch leaves out of a path what it has in common with the folder that torch is installed in, and one character more.
That is a slash, unless they have the root alone in common: then `/home/me/train.py` becomes `ome/me/train.py`.
"""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from unjit.model import Compile, FailedGuard, FilePath, Place, Unknown

FullPath = Callable[[str], str]


def full_path(tail: str, files: Iterable[str], *, here: bool = True) -> str:
    """The one file that torch can have cut to `tail`: among `files`, or else on this machine; else `tail` itself.

    Without `here` only `files` are looked at, as the program that torch ran in may have run elsewhere.
    """
    if not tail or Path(tail).is_absolute() or tail.startswith("<"):
        return tail
    found = {file for file in files if _can_be_cut_to(tail, file)}
    found = found or (set(_on_disk(tail)) if here else set())
    return found.pop() if len(found) == 1 else tail


def _can_be_cut_to(tail: str, file: str) -> bool:
    before = file.removesuffix(tail)
    return file == tail or (before != file and re.fullmatch(r".*[/\\]|/.", before, re.DOTALL) is not None)


def _on_disk(tail: str) -> Iterator[str]:
    if Path(tail).is_file():
        yield tail  # a relative path is not cut
    torch = getattr(sys.modules.get("torch"), "__file__", None)
    for folder in Path(torch).parents if torch else ():
        names = _cut_by_one(folder, tail) if folder.parent == folder else (tail,)
        yield from (str(folder / name) for name in names if (folder / name).is_file())


def _cut_by_one(root: Path, tail: str) -> Iterator[str]:
    first = tail.partition("/")[0]
    with contextlib.suppress(OSError):  # the root may be nobody's to list
        yield from (f"{one.name[0]}{tail}" for one in root.iterdir() if one.name[1:] == first)


def with_full_paths(compile_: Compile, full: FullPath) -> Compile:
    """A compile whose failed guards name whole paths of the lines that need them, as far as these are found."""
    failed = compile_.failed_guards
    if isinstance(failed, Unknown) or not failed:
        return compile_
    return replace(compile_, failed_guards=tuple(_with_full_path(guard, full) for guard in failed))


def _with_full_path(guard: FailedGuard, full: FullPath) -> FailedGuard:
    if not isinstance(guard.cause, Place):
        return guard
    return replace(guard, cause=replace(guard.cause, file=FilePath(full(guard.cause.file))))
