"""The rows of Inductor's texts: operations with the buffers that they make, and code with kernels and buffers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from unjit.report.texts.links import Row, Tags

_OPERATION: Final = re.compile(r"(op\d+): ")
_OUTPUT: Final = re.compile(r" +(buf\d+): ")
_BUFFER: Final = re.compile(r"\bbuf\d+\b")
_SOURCES: Final = re.compile(r"\s*# Topologically Sorted Source Nodes: \[([^\]]*)\]")
_DEFINITION: Final = re.compile(r"(\w+) = async_compile\.\w+\(")
_CALLED: Final = re.compile(r"\s+(?:\w+ = )?([\w.]+?)(?:\.run)?\(")
_MADE: Final = re.compile(r"\bout=(buf\d+)|^\s*(buf\d+) = ")
Origins = Mapping[str, list[str]]


def operation_rows(text: str, half: str, tags: Tags, operations: Origins, lines: Origins) -> Iterator[Row]:
    """A row for each operation: it is the buffers that it makes, and comes from nodes and their lines."""
    begun: Row | None = None
    name = ""
    for at, row in enumerate(text.split("\n")):
        if match := _OPERATION.match(row):
            if begun is not None:
                yield begun
            name = match[1]
            nodes = [tags.post(half, node) for node in operations.get(name, ())]
            begun = Row(at, at + 1, None, [], [*nodes, *_lines(nodes, lines)])
        elif begun is not None and not row.strip():
            yield begun
            begun = None
        elif begun is not None:
            begun.end = at + 1
            if output := _OUTPUT.match(row):
                begun.is_.append(tags.buffer(half, output[1]))
                begun.id = begun.id or begun.is_[0]
    if begun is not None:
        yield begun


def _lines(nodes: list[str], lines: Origins) -> list[str]:
    return list(dict.fromkeys(line for node in nodes for line in lines.get(node, ())))


class CodeRows:
    """The rows of the code that runs: the kernels' texts, and the calls with their buffers.

    A kernel's own text comes from all that the kernel was made of. A call of a library says only what torch wrote above
    it: the same function serves other calls.
    """

    def __init__(self, half: str, tags: Tags, kernels: Origins, lines: Origins) -> None:
        self.half = half
        self.tags = tags
        self.lines = lines
        self.origins = {tag: list(origins) for tag, origins in kernels.items()}
        self.names = {tag.rpartition("/")[2]: tag for tag in kernels if tag.startswith(tags.kernel(half, ""))}
        self.defined: set[str] = set()
        self.made: dict[str, list[str]] = {}  # what a library's call made a buffer from

    def rows(self, text: str) -> list[Row]:
        """Definitions come before calls, and what torch says above a call holds for its kernel's definition too."""
        found = list(self._rows(text.split("\n")))
        for row in found:
            for tag in row.is_:
                if tag in self.defined:
                    row.from_ = list(dict.fromkeys([*row.from_, *self.origins.get(tag, ())]))
        return found

    def _rows(self, rows: list[str]) -> Iterator[Row]:
        definition: Row | None = None
        origins: list[str] = []
        for at, row in enumerate(rows):
            if definition is not None:
                definition.end = at + 1
                if "'''" in row:
                    yield definition
                    definition = None
            elif match := _DEFINITION.match(row):
                tag = self.tags.kernel(self.half, match[1])
                definition = Row(at, at + 1, tag, [tag], [])
                self.defined.add(tag)
            elif match := _SOURCES.match(row):
                origins = self._origins(match[1])
                yield Row(at, at + 1, None, [], origins)
            elif (called := self._called(row)) is not None:
                yield self._call(at, row, called, origins)
                origins = []
            else:
                yield from self._buffers(at, row)

    def _origins(self, names: str) -> list[str]:
        nodes = [self.tags.pre(name) for name in names.split(", ") if name]
        return [*nodes, *_lines(nodes, self.lines)]

    def _call(self, at: int, row: str, kernel: str, origins: list[str]) -> Row:
        buffers = self._named(row)
        if kernel in self.defined:
            known = self.origins.setdefault(kernel, [])
            known += [origin for origin in origins if origin not in known]
        elif made := _MADE.search(row):
            self.made[self.tags.buffer(self.half, made[1] or made[2])] = origins
        return Row(at, at + 1, kernel, [kernel] if kernel in self.defined else [], [*buffers, *origins])

    def _buffers(self, at: int, row: str) -> Iterator[Row]:
        if buffers := self._named(row):
            made = self.tags.buffer(self.half, row.partition(" = ")[0].strip())
            is_ = [tag for tag in buffers if tag == made]
            yield Row(at, at + 1, (is_ or buffers)[0], is_, [tag for tag in buffers if tag not in is_])

    def _named(self, row: str) -> list[str]:
        return [self.tags.buffer(self.half, name) for name in dict.fromkeys(_BUFFER.findall(row))]

    def _called(self, row: str) -> str | None:
        """The kernel that a row calls."""
        name = _CALLED.match(row)
        return None if name is None else self.names.get(name[1])
