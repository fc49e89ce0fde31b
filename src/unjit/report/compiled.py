"""Templates that jinja has compiled, kept where Python keeps its modules: for checkouts; wheels have them as Python."""

from __future__ import annotations

import os
import sys
from io import BytesIO
from pathlib import Path
from typing import Final

from jinja2.bccache import Bucket, BytecodeCache

_FOLDER: Final = Path(__file__).parent / "__pycache__"


class CompiledTemplates(BytecodeCache):
    """As Python does with modules: nothing is kept if Python is told so, and what cannot be kept is no error.

    jinja sees to it that what is kept was made of the same text, by the same jinja and Python.
    """

    def load_bytecode(self, bucket: Bucket) -> None:
        """Read what is kept of a template."""
        try:
            kept = _file(bucket).read_bytes()
        except OSError:
            return
        try:
            bucket.load_bytecode(BytesIO(kept))
        except (EOFError, ValueError, TypeError):  # it is not whole
            bucket.reset()

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep a template; who reads meanwhile sees all of it or nothing."""
        if not sys.dont_write_bytecode:
            keep(bucket)


def keep(bucket: Bucket) -> None:
    """Write what was compiled of a template."""
    file = _file(bucket)
    temporary = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        file.parent.mkdir(exist_ok=True)
        temporary.write_bytes(bucket.bytecode_to_string())
        temporary.replace(file)
    except OSError:
        return


def _file(bucket: Bucket) -> Path:
    return _FOLDER / f"template-{bucket.key}.{sys.implementation.cache_tag}"
