"""Decompiled modules kept in a folder, for processes that must run them from their first import on.

Modules that unjit itself needs (`re`, `enum`, `functools`, …) are loaded before any hook of its own can be. So one
process writes what the decompiled source compiles to, and another, which never imports unjit, starts by `stored.py`.
"""

from __future__ import annotations

import importlib.util
import marshal
from pathlib import Path

from unjit.decompiler import Decompiled, decompile


def save(name: str, path: Path, folder: Path) -> Decompiled:
    """Write the code and the text of module `name`, whose source file is `path`; gives the answer.

    Raises SyntaxError for source that does not compile here.
    """
    answer = decompile(compile(path.read_bytes(), str(path), "exec", dont_inherit=True))
    folder.mkdir(parents=True, exist_ok=True)
    code = importlib.util.MAGIC_NUMBER + marshal.dumps(answer.recompile())
    (folder / f"{name}.code").write_bytes(code)
    (folder / f"{name}.py").write_text(answer.source, encoding="utf-8", errors="surrogatepass")
    return answer
