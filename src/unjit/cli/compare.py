"""`unjit compare`: run a program, and compare backends on the calls that it makes of what it had compiled."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from unjit.cli import run
from unjit.cli.in_program.comparing import read_call
from unjit.cli.output import say_json
from unjit.cli.ranks_told import file_of_rank, told_by_rank
from unjit.model import Message, ProgramComparison, Unknown
from unjit.starting.environment import environment
from unjit.starting.options import Options

AGREE, PART, ERROR = 0, 1, 2
DESCRIPTION = """\
Run a program as python does. Before each of the first calls of a compiled function, run that call on copies of its
inputs, in eager and on each backend: do results, gradients and changed inputs agree? Then the program makes its own
call. The answer comes on stderr when the program has ended. The exit status is 0 if all agree, 1 if a backend differs
from eager or eager from itself, and 2 if nothing was compared, if a call could not be, or if the program failed.
"""


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to a parser's commands; `run.split` says which arguments the parser may see."""
    parser = commands.add_parser(
        "compare",
        help="run a program and say whether what it compiles computes what eager computes",
        description=DESCRIPTION,
        usage="unjit compare [--backend NAME ...] [--calls N] [--json [FILE]]"
        " (SCRIPT | -m MODULE | -c CODE) [ARGUMENTS ...]",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--backend",
        action="append",
        metavar="NAME",
        help="compare this backend of torch.compile; give it again for more backends "
        "(default: eager, aot_eager, inductor, and the program's own if it is another)",
    )
    parser.add_argument(
        "--calls", type=int, default=3, metavar="N", help="how many calls of each function to compare (default: 3)"
    )
    parser.add_argument(
        "--json",
        nargs="?",
        const="-",
        metavar="FILE",
        help="write the answer as JSON to FILE, whose name ends in .json; without FILE, as one last line on stdout",
    )
    parser.set_defaults(command=command, parser=parser)


def command(arguments: argparse.Namespace) -> int:
    """Run the program, then print what its calls gave."""
    from unjit.render.forms.printable import printable
    from unjit.render.side_by_side.program_comparison import program_comparison_text

    python = run.python_running(arguments)
    if arguments.calls < 1:
        arguments.parser.error(f"--calls {arguments.calls}: give 1 or more")
    found = compare(python, tuple(arguments.backend or ()), arguments.calls)
    print(told_by_rank(printable(program_comparison_text(found))), file=sys.stderr)
    if arguments.json is not None:
        say_json(_as_json(found, arguments.json), file_of_rank(arguments.json))
    return status(found)


def status(found: ProgramComparison) -> int:
    """The exit status."""
    if found.first is not None:
        return PART
    return AGREE if found.same and found.ended is None else ERROR


def compare(python: Sequence[str], backends: tuple[str, ...], calls: int) -> ProgramComparison:
    """Run a program, by the command `python`, until it ends, and give what its side of the pipe sent."""
    reading, writing = os.pipe()
    options = Options(compare=True, backends=backends, calls=calls, pipe=writing)
    messages: list[dict[str, Any]] = []
    with _interrupts_are_the_programs(), os.fdopen(reading, encoding="utf-8") as pipe:
        process = subprocess.Popen(python, env=environment(options), pass_fds=[writing])  # noqa: S603
        os.close(writing)
        reader = threading.Thread(target=lambda: messages.extend(_whole_lines(pipe)), daemon=True)
        reader.start()
        code = process.wait()
        reader.join(timeout=10)  # a child that the program left behind may hold the pipe
    return answer(messages, code)


def _whole_lines(pipe: Iterable[str]) -> Iterator[dict[str, Any]]:
    """What was sent, line by line, without a last line that was cut: the program may be killed while it writes."""
    return (json.loads(line) for line in pipe if line.endswith("\n"))


def answer(messages: Sequence[dict[str, Any]], code: int) -> ProgramComparison:
    """The answer from what the program's side sent, and from the exit `code` of the program."""
    calls = tuple(read_call(message["call"]) for message in messages if "call" in message)
    last = next((message for message in messages if "problems" in message), None)
    ending = _ending(code) or (None if last else "without running the functions at its exit")
    return ProgramComparison(
        calls,
        last["uncompared"] if last else Unknown(Message("the program ended without saying so")),
        tuple(map(Message, last["problems"])) if last else (),
        None if ending is None else Message(ending),
    )


def _ending(code: int) -> str | None:
    if code < 0:
        return f"by {signal.Signals(-code).name}"
    return f"with exit status {code}" if code else None


@contextlib.contextmanager
def _interrupts_are_the_programs() -> Iterator[None]:
    """Within the block Ctrl-C does not end the command: it reaches the program as well, which decides what to do."""
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _as_json(found: ProgramComparison, file: str) -> str:
    """The answer as JSON. On stdout it is one line, after all that the program printed."""
    return found.to_json(indent=None if file == "-" else 2) + "\n"
