"""Scripts as one script, and the policy that lets this one run and nothing else.

The scripts are ordinary ES modules; what they may say to each other is `import { a, b } from "./x.js"` and `export`
before a function, class or constant. A library in `vendored` is in the form that both browsers and Node read (UMD), and
is imported as a whole: `import name from "../vendored/name/name.js"`.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import posixpath
import re
from importlib import resources
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from importlib.abc import Traversable

_IMPORT: Final = re.compile(r'^import (\{[^}]*\}|\w+) from "([^"]+)";$', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export (?=(?:async )?(?:function\*?|class|const|let) (\w+))", re.MULTILINE)
_NAME: Final = re.compile(r"^export (?:async )?(?:function\*?|class|const|let) (\w+)", re.MULTILINE)


def read(path: str) -> str:
    """A file of this package, by its path from here with `/`."""
    return _here().joinpath(*path.split("/")).read_text("utf-8")


@functools.cache
def _here() -> Traversable:
    return resources.files("unjit.report")


@functools.cache
def bundle(*entries: str) -> str:
    """One script that runs these modules, and before each what it imports. `modules` has what each exports, by path."""
    done: dict[str, str] = {}
    for path in entries:
        _add(path, done)
    return '(() => {"use strict";\nconst modules = {};\n' + "".join(done.values()) + "})();\n"


def _add(path: str, done: dict[str, str]) -> None:
    if path in done:
        return
    text = read(path)
    if path.startswith("vendored/"):
        done[path] = _vendored(path, text)
        return
    for match in _IMPORT.finditer(text):
        _add(_resolve(path, match[2]), done)
    done[path] = _own(path, text)


def _own(path: str, text: str) -> str:
    names = ", ".join(_NAME.findall(text))

    def imported(match: re.Match[str]) -> str:
        return f'const {match[1]} = modules["{_resolve(path, match[2])}"];'

    body = _EXPORT.sub("", _IMPORT.sub(imported, text))
    assert not re.search(r"^(import|export)\b", body, re.MULTILINE), f"{path}: an import or export of another form"
    return f'modules["{path}"] = (() => {{\n{body}\nreturn {{ {names} }};\n}})();\n'


def _vendored(path: str, text: str) -> str:
    head = "const module = { exports: {} }, exports = module.exports;"
    return f'modules["{path}"] = (function () {{ {head}\n{text}\nreturn module.exports;\n}}).call(globalThis);\n'


def _resolve(path: str, target: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), target))


def policy(script: str, style: str) -> str:
    """The content security policy of a page: these two run, and nothing comes from anywhere or goes anywhere."""
    ours = f"script-src '{_hash(script)}'; style-src '{_hash(style)}'"
    return f"default-src 'none'; {ours}; base-uri 'none'; form-action 'none'"


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
