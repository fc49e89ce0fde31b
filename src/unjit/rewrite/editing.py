"""Decompiled source in the user's editor."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

from unjit.decompiler import Decompiled
from unjit.errors import UnjitError


def in_editor(code: Decompiled) -> str:
    """What the user makes of the source in $VISUAL or $EDITOR.

    The file stays where it is: what was written is never lost when it does not compile. Raises UnjitError if there is
    no editor, or if it fails.
    """
    variable = "VISUAL" if os.environ.get("VISUAL") else "EDITOR"
    command = shlex.split(os.environ.get(variable, ""))
    if not command or shutil.which(command[0]) is None:
        missing = f"{command[0]!r}, which {variable} names, is not found: " if command else ""
        raise UnjitError(f"{missing}set {variable} to the command of an editor, or pass the edited source as a string")
    path = Path(tempfile.mkdtemp(prefix="unjit-edit-")) / f"{code.code.co_name.strip('<>')}.py"
    path.write_text(code.source)
    done = subprocess.run([*command, str(path)], check=False)  # noqa: S603  (the user's own editor)
    if done.returncode:
        raise UnjitError(f"{command[0]} ended with status {done.returncode}; what it wrote is in {path}")
    return path.read_text()
