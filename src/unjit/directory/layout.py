"""The names of files and folders in the directory of a capture; docs/directory.md explains them."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

INDEX_TEXT: Final = "index.md"
INDEX: Final = "index.json"
RUN: Final = "run.json"
ORDER: Final = "order.txt"  # only while the capture lasts
RUNS: Final = "runs.txt"  # of ranks: which compile's code ran, run by run
TRACE: Final = "trace.json"  # the times of run.json, for Perfetto
CONFIGURATION: Final = "configuration.json"
DISTRIBUTED: Final = "distributed.json"  # where the process is one of several ranks
PROCESSES: Final = "processes"  # each a directory like the whole
FUNCTIONS: Final = "functions"
FUNCTION: Final = "function.json"
SOURCE: Final = "source.txt"
ORIGINAL_BYTECODE: Final = "bytecode.txt"
COMPILE: Final = "compile.json"
CALLERS: Final = "captured_callers.json"
ENTRY: Final = "entry.json"
TRANSFORMED: Final = "transformed.py"
BYTECODE: Final = "transformed_bytecode.txt"
OUTSIDE: Final = "outside_of_compiles"
SOURCES: Final = "sources"  # files of the user's program
PAGE: Final = "report.html"
RANKS: Final = "ranks.json"
RANKS_TEXT: Final = "ranks.md"
OF_ONE_PROCESS: Final = (INDEX_TEXT, INDEX, RUN, ORDER, RUNS, CONFIGURATION, FUNCTIONS, OUTSIDE, SOURCES, PAGE)
OF_RANKS: Final = (RANKS, RANKS_TEXT, PAGE)  # of all together: on top
_RANK: Final = re.compile(r"rank_(\d+)(?:_.*)?")
_START: Final = re.compile(r"rank_(\d+)(?:_restart_(\d+))?")


def rank_folder(rank: int, restarts: int = 0) -> str:
    """The folder, among those of processes, of a rank that was started anew so many times."""
    return f"rank_{rank}_restart_{restarts}" if restarts else f"rank_{rank}"


def start_of_rank(folder: str) -> tuple[int, int] | None:
    """The rank and the number of its start, if this is the folder of a rank itself."""
    match = _START.fullmatch(folder)
    return (int(match[1]), int(match[2] or 0)) if match else None


def rank_in(folder: str) -> int | None:
    """The rank whose folder this is, or that of a process which it started; None if it is of no rank."""
    match = _RANK.fullmatch(folder)
    return int(match[1]) if match else None


def function_folder(key: str) -> str:
    """The folder of a function."""
    return f"{FUNCTIONS}/{key}"


def compile_folder(key: str, number: int) -> str:
    """The folder of compile `number`, from 0, of a function; the entry that it made is described there too."""
    return f"{function_folder(key)}/compile_{number}"


def outside(kind: str, number: int) -> str:
    """A text that belongs to no compile."""
    return f"{OUTSIDE}/{kind}{f'_{number}' if number else ''}.txt"


def source_file(file: str, taken: Collection[str]) -> str:
    """A file of the user's program, under its own name as far as that can be one here."""
    name = re.sub(r"[^\w.-]", "_", file.replace("\\", "/").rpartition("/")[2]).lstrip(".")
    stem, dot, suffix = name.rpartition(".") if "." in name else (name, "", "")
    numbers = ("", *(f"_{number}" for number in range(2, len(taken) + 3)))
    names = (f"{SOURCES}/{stem or 'source'}{number}{dot}{suffix}" for number in numbers)
    return next(path for path in names if path not in taken)


def other_entry_folder(key: str, number: int) -> str:
    """An entry that no compile of this capture made: it was there before."""
    return f"{function_folder(key)}/older_entry_{number}"
