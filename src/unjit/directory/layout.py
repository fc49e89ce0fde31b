"""The names of files and folders in the directory of a capture; docs/directory.md explains them."""

from __future__ import annotations

from typing import Final

INDEX_TEXT: Final = "index.md"
INDEX: Final = "index.json"
RUN: Final = "run.json"
CONFIGURATION: Final = "configuration.json"
PROCESSES: Final = "processes"  # each a directory like the whole
FUNCTIONS: Final = "functions"
FUNCTION: Final = "function.json"
SOURCE: Final = "source.txt"
ORIGINAL_BYTECODE: Final = "bytecode.txt"
COMPILE: Final = "compile.json"
ENTRY: Final = "entry.json"
TRANSFORMED: Final = "transformed.py"
BYTECODE: Final = "transformed_bytecode.txt"
OUTSIDE: Final = "outside_of_compiles"


def function_folder(key: str) -> str:
    """The folder of a function."""
    return f"{FUNCTIONS}/{key}"


def compile_folder(key: str, number: int) -> str:
    """The folder of the how many-th compile of a function, from 0; the entry that it made is described there too."""
    return f"{function_folder(key)}/compile_{number}"


def outside(kind: str, number: int) -> str:
    """A text that belongs to no compile."""
    return f"{OUTSIDE}/{kind}{f'_{number}' if number else ''}.txt"


def other_entry_folder(key: str, number: int) -> str:
    """An entry that no compile of this capture made: it was there before."""
    return f"{function_folder(key)}/older_entry_{number}"
