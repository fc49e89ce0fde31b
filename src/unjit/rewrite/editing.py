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
    command = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "")
    if not command or shutil.which(command[0]) is None:
        raise UnjitError("set EDITOR to the command of your editor, or pass the edited source as a string")
    path = Path(tempfile.mkdtemp(prefix="unjit-edit-")) / f"{code.code.co_name.strip('<>')}.py"
    path.write_text(code.source)
    done = subprocess.run([*command, str(path)], check=False)  # noqa: S603  (the user's own editor)
    if done.returncode:
        raise UnjitError(f"{command[0]} ended with status {done.returncode}; what it wrote is in {path}")
    return path.read_text()
