"""The listener of a capture: gives each record to the compile that it belongs to, and each compile its folder."""

from __future__ import annotations

import dis
import io
import itertools
import json
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from types import CodeType
from typing import Any, Final

from unjit.artifacts.graph_lines import files_in
from unjit.bytecode.changed.relocate import as_made
from unjit.bytecode.constants.shown import listable
from unjit.capturing.collecting.building import CONFIGURATIONS, METRICS, Building
from unjit.capturing.collecting.functions import Functions
from unjit.capturing.collecting.naming import kind_of
from unjit.capturing.collecting.outside import Outside
from unjit.capturing.collecting.program import Program, ThisProgram
from unjit.capturing.reading.phases import Timeline
from unjit.capturing.reading.stacks import recorded_stack
from unjit.directory import layout
from unjit.directory.files import Files
from unjit.directory.stable import Stabiliser
from unjit.model import SCHEMA_VERSION, Callers, Listing, Message, Name, to_plain
from unjit.model.places import UNNAMED
from unjit.observe.functions.sources import listing
from unjit.observe.listening.recorded_compile import CompileKey, RecordedCompile
from unjit.torch_private.cache.resumes import is_resume_code

LEFT_OUT: Final = {
    "chromium_event": "run.json has the phases that they tell of",
    "str": "torch's table of file names, which the other records are read with",
    "describe_storage": "they only number the storages; the inputs have shapes and strides",
    "bytecode of resume functions": "bytecode.txt and transformed_bytecode.txt have that of every function",
    "triton_kernel_info": "without how long each kernel took to compile",
    **dict.fromkeys(
        ("fx_graph_cache_miss", "fx_graph_cache_hit", "fx_graph_cache_bypass"),
        "without times, and without the key and its components, which repeat torch's configuration",
    ),
}
ORIGINAL: Final = "_ORIGINAL_BYTECODE"
MODIFIED: Final = "_MODIFIED_BYTECODE"
_DISTRIBUTED: Final = "/torch/distributed/"  # in a graph that names lines of it
_SKIPPED: Final = ("describe_storage", "bytecode of resume functions")


class Collector:
    """Keeps every compile of a capture, from its first record on. Called under the recorder's lock."""

    def __init__(
        self,
        files: Files,
        wrote: Callable[[Building], None] | None = None,
        program: Program | None = None,
        made: Callable[[CodeType, int], None] | None = None,
    ) -> None:
        self.files = files
        self.program = program or ThisProgram()
        self.began = time.time()
        self.raised: Message | None = None  # the error that ended the block or the program
        self.compiles: dict[CompileKey, Building] = {}  # in the order in which they began
        self.left_out: Counter[str] = Counter()
        self.outside = Outside(files, self._steady)
        self._wrote = wrote
        self._made = made  # is told of generated code, with the number of its compile
        self._stable: Stabiliser | None = None
        self.functions = Functions(self.program, self.file_name, met=self._write_original, lose=self._lose)
        self._counts: Counter[Name] = Counter()  # of compiles
        self._orders = itertools.count()
        self._file_names: dict[int, str] = {}
        self._configurations: dict[str, str] = {}
        self.files_named: set[str] = set()  # the user's, by the graphs that were made of them

    @property
    def stable(self) -> Stabiliser:
        """Made when torch is imported: before, its folders are not known."""
        if self._stable is None:
            self._stable = Stabiliser(self.program.folders())
        return self._stable

    @property
    def named_files(self) -> Collection[str]:
        """All files that torch's trace has named."""
        return self._file_names.values()

    def _steady(self, text: str) -> str:
        return self.stable.text(text)

    def _lose(self, what: str) -> None:
        if what not in self.files.losses:
            self.files.losses.append(what)

    def take(self, recorded: RecordedCompile | None, metadata: Mapping[str, Any], payload: str) -> None:
        """One record of torch's trace."""
        kind = kind_of(metadata)
        if kind == "str":
            text, number = metadata["str"]
            self._file_names[number] = text
        if kind.endswith(ORIGINAL) and recorded is not None:
            self._note_original(self.building(recorded, metadata), payload)
        if kind.endswith((ORIGINAL, MODIFIED)):
            kind = "bytecode of resume functions"
        if kind in LEFT_OUT:
            self.left_out[kind] += 1
        if recorded is None:
            if kind not in LEFT_OUT:
                self.outside.take(kind, payload)
        elif kind not in _SKIPPED:
            building = self.building(recorded, metadata)
            building.take(metadata, payload)
            self._note(building, kind, metadata, payload)

    def generated(self, recorded: RecordedCompile, original: CodeType, generated: CodeType) -> None:
        """What Dynamo made of a function: its instructions are written now, its source at the end."""
        building = self.building(recorded, {})
        self.files.write(building.file(layout.BYTECODE), self._disassembly(generated))
        if building.number == 0 and not self.functions.has_code(building.function):
            self._write_original(building.function, original)
        if self._made is not None:
            self._made(generated, building.order)

    def _write_original(self, key: Name, code: CodeType) -> None:
        """The instructions of a function, whatever becomes of its compile."""
        self.files.write(f"{layout.function_folder(key)}/{layout.ORIGINAL_BYTECODE}", self._disassembly(code))

    def _note_original(self, building: Building, text: str) -> None:
        """torch's listing of a resume function's instructions, where there is no code object to list."""
        if building.number == 0 and not self.functions.has_code(building.function):
            path = f"{layout.function_folder(building.function)}/{layout.ORIGINAL_BYTECODE}"
            self.files.write(path, self.stable.text(f"{text.rstrip()}\n"))

    def _disassembly(self, code: CodeType) -> str:
        text = io.StringIO()
        dis.dis(listable(as_made(code)), file=text)
        return self.stable.text(text.getvalue())

    def write_sources(self, failed: Callable[[Exception], None]) -> None:
        """The source of each function that is alive and whose file can be trusted; one that fails costs no other."""
        for key, code in self.functions.alive():
            try:
                self._write_source(key, code)
            except Exception as error:
                failed(error)

    def _write_source(self, key: Name, code: CodeType) -> None:
        found = None if is_resume_code(code) else listing(code)
        if isinstance(found, Listing):
            text = f"# {found.file}:{found.first_line}\n{found.text}\n"
            self.files.write(f"{layout.function_folder(key)}/{layout.SOURCE}", self.stable.path(text))

    def building(self, recorded: RecordedCompile, metadata: Mapping[str, Any]) -> Building:
        """The compile under construction for this record; a new one gets its folder."""
        known = self.compiles.get(recorded.key)
        if known is not None:
            return known
        key = self.functions.key_of(recorded, metadata)
        number = self._counts[key]
        self._counts[key] += 1
        made = Building(
            function=key,
            number=number,
            order=next(self._orders),
            path=layout.compile_folder(key, number),
            recorded=recorded,
            thread=self.program.thread(),
            files=self.files,
            stable=self.stable,
            timeline=Timeline(self.began),
            program=self.program,
        )
        self.compiles[recorded.key] = made
        self.files.append(layout.ORDER, made.path)
        return made

    def file_name(self, number: Any) -> str:
        """The file that torch's trace names by a number."""
        return self._file_names.get(number) or self.program.interned(number) or UNNAMED

    def _note(self, building: Building, kind: str, metadata: Mapping[str, Any], payload: str) -> None:
        """What a record says beyond its own compile."""
        if kind == "dynamo_start":
            self._note_start(building, metadata[kind].get("stack") or ())
        elif kind == "dynamo_cpp_guards_str":
            building.check_times = self.program.check_times()
        elif kind == "dynamo_output_graph":
            self.files_named |= files_in(payload)
            if not (building.stack or building.recorded.started):  # what torch.export captures has no start
                building.stack = self.program.stack()
            if _DISTRIBUTED in payload:
                self._note_callers(building)
        elif kind in METRICS:
            self._note_configuration(building, metadata[kind])
            if self._wrote is not None:
                self._wrote(building)

    def _note_start(self, building: Building, stack: Any) -> None:
        """Who called the function: from the live stack, or from the record where that is all there is."""
        building.stack = self.program.stack() or recorded_stack(stack, self.file_name, self.named_files)

    def _note_callers(self, building: Building) -> None:
        """Who called what torch's own code did: the text of a graph names the innermost line alone."""
        callers = Callers(self.program.callers())
        if callers.lines:
            text = json.dumps({"schema": SCHEMA_VERSION, **to_plain(callers, self.stable.path)}, indent=1)
            self.files.write(building.file(layout.CALLERS), f"{text}\n")

    def _note_configuration(self, building: Building, metrics: Mapping[str, Any]) -> None:
        """torch's configuration is written once; a compile that has another gets a file of its own."""
        for name in CONFIGURATIONS:
            text = metrics.get(name)
            if text is None or self._configurations.get(name) == text:
                continue
            if name in self._configurations:
                building.add(name, text)
                continue
            self._configurations[name] = text
            known = {key: json.loads(value) for key, value in sorted(self._configurations.items())}
            self.files.write(layout.CONFIGURATION, self.stable.text(json.dumps(known, indent=1, sort_keys=True)) + "\n")
