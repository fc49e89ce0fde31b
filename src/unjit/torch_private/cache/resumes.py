"""What Dynamo keeps about resume functions."""

from __future__ import annotations

import dis
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any, Final

from unjit.bytecode import free_variables
from unjit.model import Maybe, Message, Unknown, first_unknown
from unjit.torch_private.probes import cache_probes as probes

GLOBAL_PREFIX = "__resume_at_"
NAME_PREFIX = "torch_dynamo_resume_in_"
RESUME_NAME = re.compile(rf"{NAME_PREFIX}(?P<of>.+)_at_(?P<line>\d+)")
LINE_IN_NAME = re.compile(r"_at_(\d+)$")
_STACK_ARGUMENT = "___stack"
_PLUMBING = {"__nested_resume_fns", "__nested_frame_values"}  # arguments that hold nothing of the program's
_FORGOTTEN = Unknown(
    Message("torch keeps nothing about it any more, as after torch._dynamo.reset(), or loaded it compiled already")
)


@dataclass(frozen=True, slots=True)
class RawResume:
    """One resume function: its code, what it continues, and where."""

    code: CodeType
    original: Maybe[CodeType]
    line: Maybe[int]  # where it goes on
    offset: Maybe[int]  # of the instruction in `original` where it goes on
    arguments: Maybe[tuple[str, ...]]  # locals that are passed on
    stack_size: Maybe[int]

    @classmethod
    def unread(cls, code: CodeType, why: Unknown) -> RawResume:
        """A resume function of which only the code is known; `why` says why."""
        return cls(code, why, why, why, why, why)


def is_resume_code(code: CodeType) -> bool:
    """Whether Dynamo generated `code` as a resume function: of one that it loads, compiled before, the name tells."""
    metadata = probes.RESUME_METADATA.get()
    if not isinstance(metadata, Unknown) and code in metadata:
        return True
    return RESUME_NAME.fullmatch(code.co_name) is not None


def is_loaded_resume(code: CodeType, original: CodeType) -> bool:
    """Whether `code` is, by name and place alone, a resume function of `original` of which torch keeps no more."""
    named = RESUME_NAME.fullmatch(code.co_name)
    if named is None or (named["of"], code.co_filename) != (original.co_name, original.co_filename):
        return False
    inside = int(named["line"]) in {line for _, _, line in original.co_lines()}
    return inside and isinstance(_original(code), Unknown)


def broke_at(code: CodeType) -> int | None:
    """The line at which the function was left, as Dynamo writes it into the name."""
    match = LINE_IN_NAME.search(code.co_name)
    return int(match[1]) if match else None


def stack_argument(index: int) -> str:
    """The argument by which a resume function gets a value that lay on the stack, bottom first."""
    return f"{_STACK_ARGUMENT}{index}"


def arguments_in(code: CodeType) -> tuple[list[str], list[str]]:
    """The arguments of a resume function by its code alone: for what lay on the stack, and for locals."""
    names = [name for name in code.co_varnames[: code.co_argcount] if name not in _PLUMBING]
    stack = [name for name in names if re.fullmatch(rf"{_STACK_ARGUMENT}\d+", name)]
    return stack, [name for name in names if name not in stack]


def resume_of(code: CodeType) -> RawResume:
    """All that is kept about the resume function with this code."""
    original = _original(code)
    key = _key(original, code) if isinstance(original, CodeType) else original
    if isinstance(key, Unknown) or isinstance(original, Unknown):
        return RawResume(code, original, key, key, key, key)
    line, offset = _landing(code, original, key["resume_offset"])
    return RawResume(code, original, line, offset, tuple(key["argnames"]), key["nstack"])


def resume_codes_of(code: CodeType) -> list[CodeType]:
    """The code of every resume function that Dynamo made for `code` since the start or reset."""
    cache = probes.RESUME_CODES.get()
    if isinstance(cache, Unknown) or code not in cache:
        return []
    return list(cache[code].values())


def named_resumes(code: CodeType, scope: dict[str, Any]) -> Iterator[tuple[str, CodeType]]:
    """The resume functions that generated code names, with the names, in the order of the names.

    With free variables, torch 2.9 lets the code itself define them, and has no global for them.
    """
    for name in code.co_names:
        function = scope.get(name) if name.startswith(GLOBAL_PREFIX) else None
        resume = _resume_code(function) if isinstance(function, FunctionType) else None
        if resume is not None:
            yield name, resume
    for value in code.co_consts:
        if isinstance(value, CodeType) and is_resume_code(value):
            yield value.co_name, value


def _resume_code(function: FunctionType) -> CodeType | None:
    """With free variables the global is a factory that makes the resume function: take the code that it holds."""
    if is_resume_code(function.__code__):
        return function.__code__
    held = [*function.__code__.co_consts, *free_variables(function).values()]
    return next((value for value in held if isinstance(value, CodeType) and is_resume_code(value)), None)


def _original(code: CodeType) -> Maybe[CodeType]:
    metadata = probes.RESUME_METADATA.get()
    if isinstance(metadata, Unknown) or code not in metadata:
        return metadata if isinstance(metadata, Unknown) else _FORGOTTEN
    found: Maybe[CodeType] = probes.RESUMED_CODE.of(metadata[code])
    return found


_WRITTEN_AS: Final = {  # what Dynamo makes of an instruction, at the same place in the text, before it numbers them
    "LOAD_METHOD": ("LOAD_ATTR",),
    "CALL_METHOD": ("CALL_FUNCTION",),
    "BINARY_SLICE": ("BUILD_SLICE", "BINARY_SUBSCR"),
    "STORE_SLICE": ("BUILD_SLICE", "STORE_SUBSCR"),
    "LOAD_FAST_LOAD_FAST": ("LOAD_FAST", "LOAD_FAST"),
    "LOAD_FAST_BORROW_LOAD_FAST_BORROW": ("LOAD_FAST_BORROW", "LOAD_FAST_BORROW"),
    "STORE_FAST_LOAD_FAST": ("STORE_FAST", "LOAD_FAST"),
    "STORE_FAST_STORE_FAST": ("STORE_FAST", "STORE_FAST"),
}
_NONE_TESTED: Final = ("LOAD_CONST", "IS_OP", "POP_JUMP_IF_TRUE")  # by one jump, POP_JUMP_IF_NONE, in code as compiled
_FIRST_OF_BRANCH = "NOT_TAKEN"  # does nothing, on the line of the test that led there (3.14)


def _landing(code: CodeType, original: CodeType, target: int) -> tuple[Maybe[int], Maybe[int]]:
    """The line and the offset in `original` of the instruction that Dynamo numbers `target`.

    Dynamo rewrites some instructions before it numbers them (calls of `super()`, wide arguments, two in one), so its
    numbers are not always offsets. The instruction is found again by what it is and by the text that it came from.
    """
    metadata = probes.RESUME_METADATA.get()
    instructions = metadata if isinstance(metadata, Unknown) else probes.RESUMED_INSTRUCTIONS.of(metadata[code])
    if isinstance(instructions, Unknown):
        return instructions, instructions
    before = [found for found in instructions if found.offset is not None and found.offset <= target]
    if not before or before[-1].offset != target:
        return probes.RESUMED_INSTRUCTIONS.missing(), probes.RESUMED_INSTRUCTIONS.missing()
    after = instructions[len(before) :]
    if before[-1].opname == _FIRST_OF_BRANCH and after:
        before = [*before, after[0]]
    lines = [line for line in map(_line, before) if line is not None]
    line = lines[-1] if lines else Unknown(Message("the instruction where it goes on has no line"))
    return line, _found_again(next(found for found in before if found.offset == target), instructions, original)


def _found_again(wanted: Any, instructions: list[Any], original: CodeType) -> Maybe[int]:
    look = _looks(wanted)[0]
    alike = [found for found in instructions for one in _looks(found) if one == look]
    there = [found for found in dis.get_instructions(original) for one in _looks(found) if one == look]
    if len(alike) != len(there):
        return Unknown(Message("the instruction where it goes on is another in the code that Dynamo rewrote"))
    return there[next(index for index, found in enumerate(alike) if found is wanted)].offset


def _looks(instruction: Any) -> list[tuple[Any, ...]]:
    """What an instruction looks like to Dynamo, apart from where it stands: one instruction or several."""
    name = instruction.opname
    parts = _NONE_TESTED if name.endswith("_NONE") else _WRITTEN_AS.get(name, (name,))
    return [(part, getattr(instruction, "positions", None)) for part in parts]


def _line(instruction: Any) -> int | None:
    positions = getattr(instruction, "positions", None)
    line = getattr(positions, "lineno", None) or instruction.starts_line
    return line if isinstance(line, int) and not isinstance(line, bool) else None


def _key(original: CodeType, code: CodeType) -> Any:
    """The arguments from which Dynamo generated `code`, by name."""
    cache, generate = probes.RESUME_CODES.get(), probes.RESUME_GENERATE.get()
    missing = first_unknown(cache, generate)
    if missing is not None:
        return missing
    if original not in cache:
        return _FORGOTTEN
    # the key is of the last: after the code, the line and, since torch 2.9, the offset of the break
    names = [*inspect.signature(generate).parameters]
    for key, generated in cache[original].items():
        if generated is code:
            named = dict(zip(names[-len(key) :], key, strict=False))
            named.setdefault("resume_offset", named.get("offset"))  # as torch 2.6 calls it
            told = {"argnames", "nstack"} <= named.keys() and named["resume_offset"] is not None
            return named if told else probes.RESUME_GENERATE.missing()
    return _FORGOTTEN
