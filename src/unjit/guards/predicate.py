"""Generated guard functions, compiled."""

from __future__ import annotations

import itertools
import linecache
import weakref
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, Final

from unjit.guards.source import GuardSource

Predicate = Callable[[dict[str, Any]], bool]
Asked = Callable[[Any], bool]
_NUMBERS: Final = itertools.count(2)  # for files of one name


def compile_guards(source: GuardSource, scope: dict[str, Any], asked: Sequence[Asked], name: str) -> Predicate:
    """The function `guards(L)` of the source, reading the globals `scope`; `asked` answers what only torch can.

    Its lines can be stepped through: `name` is the file that a debugger shows.
    """
    assert len(asked) == len(source.asked), "one answer per question"
    file = f"<{name}>" if f"<{name}>" not in linecache.cache else f"<{name} #{next(_NUMBERS)}>"
    linecache.cache[file] = (len(source.text), None, source.text.splitlines(keepends=True), file)
    namespace: dict[str, Any] = {"__name__": "unjit.guards.generated", "G": scope}
    exec(compile(source.text, file, "exec"), namespace)  # noqa: S102  (text of our own, from parsed conditions)
    namespace["ask_torch"] = lambda number, _text, value: asked[number](value)
    function = namespace["guards"]
    assert isinstance(function, FunctionType)
    weakref.finalize(function, linecache.cache.pop, file, None).atexit = False
    return function
