"""Which function each compile of a capture is of, and what it is called: its key, which is the name of its folder."""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from types import CodeType
from typing import Any

from unjit.bytecode import Definition
from unjit.capturing.collecting.program import Program
from unjit.capturing.reading.shapes import FileNames
from unjit.model import Name, Unknown
from unjit.observe.functions.names import identifier, identifier_of_name, unused
from unjit.observe.listening.recorded_compile import FrameNumber, RecordedCompile
from unjit.torch_private.cache.resumes import NAME_PREFIX


class Functions:
    """The functions of a capture, by their code while that is at hand, else by where the records say they are defined.

    `met` is told of each function whose code is met, once; `lose` why code is not at hand where it should be.
    """

    def __init__(
        self,
        program: Program,
        file_name: FileNames,
        *,
        met: Callable[[Name, CodeType], None],
        lose: Callable[[str], None],
    ) -> None:
        self._program = program
        self._file_name = file_name
        self._met = met
        self._lose = lose
        self._of_frames: dict[FrameNumber, Name] = {}
        self._codes: dict[Name, weakref.ref[CodeType] | None] = {}  # None: known by a record alone
        # Several frames of one life of Dynamo can have one definition: they are told apart by their order.
        self._defined: dict[tuple[Definition, int], Name] = {}
        self._of_definition: Counter[tuple[int, Definition]] = Counter()

    def knows(self, recorded: RecordedCompile) -> bool:
        """Whether it is known which function this is a compile of."""
        return recorded.frame in self._of_frames

    def key_of(self, recorded: RecordedCompile, metadata: Mapping[str, Any]) -> Name:
        """The function that is compiled: that of the same frame as before, or by its code, or by a record."""
        if recorded.frame not in self._of_frames:
            code = self._program.code()
            if isinstance(code, Unknown):
                self._lose(f"functions are known by their places alone: {code.reason}")
                code = None
            key = self._by_record(metadata, recorded) if code is None else self._by_code(code)
            self._of_frames[recorded.frame] = key
        return self._of_frames[recorded.frame]

    def has_code(self, key: Name) -> bool:
        """Whether the code of a function was met; else a record alone tells of it."""
        return self._codes[key] is not None

    def alive(self) -> Iterator[tuple[Name, CodeType]]:
        """Those whose code is alive, with it."""
        for key, reference in list(self._codes.items()):  # other threads compile
            code = None if reference is None else reference()
            if code is not None:
                yield key, code

    def _by_code(self, code: CodeType) -> Name:
        for key, reference in self._codes.items():
            if reference is not None and reference() is code:
                return key
        key = self._new(identifier(code), weakref.ref(code))
        self._defined.setdefault((Definition.of(code), 0), key)
        self._met(key, code)
        return key

    def _by_record(self, metadata: Mapping[str, Any], recorded: RecordedCompile) -> Name:
        """Without the code itself, as when a log is read: the start of a compile names file, line and name.

        Frames of one life of Dynamo are different code objects, also where they stand at one place, as the two ways on
        from a branch do. After a reset they get other numbers, and resume functions are made anew.
        """
        stack = metadata.get("dynamo_start", {}).get("stack") or ()
        if not stack:
            return self._new(f"frame_{recorded.compile_id.frame}", None)
        last = stack[-1]
        definition = Definition(
            self._file_name(last.get("filename")), int(last.get("line") or 0), str(last.get("name"))
        )
        life = 0 if definition.name.startswith(NAME_PREFIX) else recorded.run
        at = definition, self._of_definition[life, definition]
        self._of_definition[life, definition] += 1
        if at not in self._defined:
            self._defined[at] = self._new(identifier_of_name(definition.name), None)
        return self._defined[at]

    def _new(self, name: str, code: weakref.ref[CodeType] | None) -> Name:
        key = unused(name, self._codes)
        self._codes[key] = code
        return key
