"""depyf's decompiler: text of code objects, and code objects of that text."""

from __future__ import annotations

import dis
import io
import tokenize
from collections.abc import Callable
from types import CodeType
from typing import Any

from unjit.bytecode import versions
from unjit.compat.depyf.explain.utils import write_code_to_file_template
from unjit.decompiler import decompile as decompiled
from unjit.errors import UnjitError

_WIDTH = 4  # of our own indentation


class DecompilationError(Exception):
    """What was passed cannot be decompiled."""

    def __init__(self, message: str = "") -> None:
        self.message = message
        super().__init__(message)

    def __str__(self) -> str:
        return f"DecompilationError: {self.message}"


class Decompiler:
    """The text of a function or code object.

    Text is proved equal to the bytecode; where that fails it is the disassembly as comments around the embedded code,
    which is valid Python too, and no error. Raises DecompilationError for what has no Python bytecode.
    """

    def __init__(self, code: CodeType | Callable[..., Any]) -> None:
        self.code = code_of(code)
        self.instructions = list(dis.get_instructions(self.code))
        self.indentation = _WIDTH
        self.temp_prefix = "__temp_"
        self.temp_count = 0

    def decompile(
        self, indentation: int = _WIDTH, temp_prefix: str = "__temp_", overwite_fn_name: str | None = None
    ) -> str:
        """The text, with the function named `overwite_fn_name`; temporaries have unjit's names, whatever the prefix."""
        self.indentation, self.temp_prefix = indentation, temp_prefix
        code = self.code if overwite_fn_name is None else self.code.replace(co_name=overwite_fn_name)
        answer = decompiled(code)
        self.temp_count = answer.synthetic.temporaries
        return indented(answer.source, indentation)

    @staticmethod
    def supported_opnames() -> list[str]:
        """The names of the operations that are read on this Python: all of them."""
        return sorted(versions.OPCODES)

    @staticmethod
    def decompile_and_compile_like(
        code_to_decompile: CodeType,
        reference_code: CodeType,
        indentation: int = _WIDTH,
        temp_prefix: str = "__temp_",
        filepath_template: str | None = None,
    ) -> CodeType:
        """A code object made from the text, that can run in the frame of `reference_code`.

        With `filepath_template`, which holds a `%s`, the text is written and the code says that it is from there.
        Raises DecompilationError if the two codes differ in what a frame needs: arguments and shared variables.
        """
        del indentation, temp_prefix  # they would be no different in a code object
        answer = decompiled(code_to_decompile)
        made = answer.recompile()
        wanted = (reference_code.co_freevars, reference_code.co_cellvars, reference_code.co_argcount)
        if (made.co_freevars, made.co_cellvars, made.co_argcount) != wanted:
            raise DecompilationError("the code has other arguments or shared variables than the code that it is for")
        if filepath_template is not None:
            made = made.replace(co_filename=write_code_to_file_template(answer.source, filepath_template))
        return made

    def __repr__(self) -> str:
        return f"<Decompiler of {self.code.co_name}>"


def decompile(code: CodeType | Callable[..., Any]) -> str:
    """The text of a function, method, partial, callable instance or code object."""
    return Decompiler(code).decompile()


def code_of(target: Any) -> CodeType:
    """The code object behind `target`; DecompilationError if there is none."""
    from unjit.observe.targets.resolving import resolve

    try:
        return resolve(target).code
    except (UnjitError, TypeError) as error:
        raise DecompilationError(str(error)) from error


def indented(source: str, width: int) -> str:
    """The text with `width` blanks for each level; lines within strings stay as they are."""
    if width == _WIDTH:
        return source
    inside = {
        line
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        for line in range(token.start[0] + 1, token.end[0] + 1)
    }
    return "".join(
        line if number in inside else _with_width(line, width)
        for number, line in enumerate(source.splitlines(keepends=True), 1)
    )


def _with_width(line: str, width: int) -> str:
    text = line.lstrip(" ")
    levels, rest = divmod(len(line) - len(text), _WIDTH)
    return " " * (levels * width + rest) + text
