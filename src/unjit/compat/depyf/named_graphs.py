"""Graphs that a backend names while it compiles, as vLLM does before and after each of its passes."""

from __future__ import annotations

import contextlib
import re
import warnings
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

from unjit.compat.depyf.explain.utils import get_current_compiled_fn_name, write_code_to_file_template
from unjit.compat.depyf.writer import STAGES
from unjit.model import Unknown
from unjit.model.words.wording import in_words
from unjit.torch_private.compiled_graphs.graphs import as_program
from unjit.torch_private.following.named_graphs import on_named_graph
from unjit.torch_private.following.trace import current_compile

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Self

_BEFORE_ANY: Final = "__compiled_fn"
_ELSEWHERE: Final = frozenset(STAGES.values())  # a capture has these
_ODD: Final = re.compile(r"[^\w.+-]")


class NamedGraphs:
    """A block that keeps them, as texts; nothing of the program's is kept alive."""

    def __init__(self) -> None:
        self._found: list[tuple[str, str]] = []  # names of files, in which `%s` stands for a number, and texts
        self.names: dict[object, str] = {}  # of the graph that each compile made, by the number of the compile
        self._compiled = _BEFORE_ANY  # the graph that Dynamo captured last: while the backend works, nothing names it
        self._end: Callable[[], None] | None = None

    def __enter__(self) -> Self:
        end = on_named_graph(self._take)
        if isinstance(end, Unknown):
            warnings.warn(f"graphs that a backend names are not written: {end.reason}", RuntimeWarning, stacklevel=4)
        else:
            self._end = end
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._end is not None:
            self._end()

    def write(self, directory: Path) -> list[str]:
        """Write them; gives the paths. Raises OSError if one cannot be written."""
        return [write_code_to_file_template(text, str(directory / name)) for name, text in self._found]

    def _take(self, name: str, graph: Any) -> None:
        """In the midst of a compile: whatever goes wrong stays here, and a file says it."""
        try:
            self._keep(name, graph)
        except Exception as error:
            self._found.append((f"{self._compiled}.not_read.%s.py", f"# a graph was not read: {in_words(error)}\n"))

    def _keep(self, name: str, graph: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the backend works: it is of the graph that was captured last
            self._compiled = get_current_compiled_fn_name()
            self.names[current_compile()] = self._compiled
        stage = _ODD.sub("_", name.split(":", maxsplit=1)[0].strip())
        if stage in _ELSEWHERE or stage.startswith(self._compiled):
            return
        try:
            text = as_program(graph.print_readable(print_output=False))
        except Exception as error:
            text = f"# torch could not print this graph: {in_words(error)}\n"
        self._found.append((f"{self._compiled}.{stage}.%s.py", text))
