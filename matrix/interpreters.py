"""Where this machine has a Python: where it was told to look, on PATH, or where a manager of versions keeps it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path


def interpreter(version: str) -> Path | None:
    """A Python of this version (`3.13`) that runs, or None."""
    return next((found for found in candidates(version) if runs(found, version)), None)


def candidates(version: str) -> Iterator[Path]:
    """Files that may be it, the one that the user most likely means first.

    MATRIX_PYTHONS is a list of folders, divided as PATH is: one with `python3.13` in it, in `bin` of it, or in `bin` of
    its subfolders, as pyenv and uv arrange them. PATH comes next, then pyenv and uv themselves.
    """
    name = f"python{version}"
    for folder in filter(None, os.environ.get("MATRIX_PYTHONS", "").split(os.pathsep)):
        yield from under(Path(folder).expanduser(), name)
    if on_path := shutil.which(name):
        yield Path(on_path)
    if root := said_by("pyenv", "root"):
        yield from under(Path(root, "versions"), name)
    if managed := said_by("uv", "python", "find", version):
        yield Path(managed)


def under(folder: Path, name: str) -> Iterator[Path]:
    """The files of this name in a folder, its `bin`, and those of its subfolders; newest version first."""
    yield from (file for file in (folder / name, folder / "bin" / name) if file.exists())
    yield from sorted(folder.glob(f"*/bin/{name}"), key=by_number, reverse=True)


def by_number(file: Path) -> list[int]:
    """`3.9.18` before `3.10.2`."""
    return [int(number) for number in re.findall(r"\d+", file.parents[1].name)]


def said_by(*command: str) -> str:
    """What a command prints, or nothing where it fails or there is none."""
    if not shutil.which(command[0]):
        return ""
    return subprocess.run(command, check=False, capture_output=True, text=True).stdout.strip()


def runs(file: Path, version: str) -> bool:
    """Whether it is that Python: a manager of versions puts names on PATH that run nothing."""
    script = "import sys; print('%d.%d' % sys.version_info[:2])"
    done = subprocess.run([file, "-c", script], check=False, capture_output=True, text=True)
    return done.stdout.strip() == version
