"""`unjit …` in a process of its own, as a user starts it."""

from __future__ import annotations

import os
import subprocess
import sys


def unjit(folder, *arguments, python=(), path=(), env=None, **streams):
    """A command in a folder, with more options for Python and more places to find modules in, when it has ended."""
    places = [*map(str, path), *filter(None, [os.environ.get("PYTHONPATH")])]
    return subprocess.run(
        [sys.executable, *python, "-m", "unjit", *map(str, arguments)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(places), **(env or {})},
        **{"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams},
        text=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


def refusal(folder, *arguments, **how):
    """The one sentence that a command ended with, without output and with status 2."""
    done = unjit(folder, *arguments, **how)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    return done.stderr


def run(folder, text, *options, python=(), env=None):
    """A program under `unjit run`, as a finished process."""
    (folder / "program.py").write_text(text)
    return subprocess.run(
        [sys.executable, *python, "-m", "unjit", "run", *options, "program.py"],
        cwd=folder,
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
