"""`unjit …`: what can be asked, and who answers."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

import unjit
from unjit.capturing.environment import withdraw
from unjit.cli import compare, decompile, diff, doctor, ingest, merge, redact, report, run, schema, show, summary
from unjit.cli.output import say, writing_all
from unjit.errors import UnjitError

REFUSED = 2  # as argparse has it, for a request that cannot be understood
_COMMANDS = (  # in the order of --help
    run, compare, show, report, summary, diff, redact, ingest, merge, decompile, doctor, schema,
)  # fmt: skip

OVERVIEW = """\
See what torch.compile did to a program, without changing the program.

  unjit run train.py --epochs 1     run train.py as python does, then explain every function that was compiled
  unjit run -m package.module       the same for a module
  unjit compare train.py            run train.py, and say whether what it compiles computes what eager computes
  unjit run --out out train.py      also write everything that torch makes into the directory out
  unjit show out                    walk through such a directory: functions, code, guards, graphs, kernels
  unjit report out                  make its page for a browser again: out/report.html
  unjit summary out                 what in it is worth acting on, most important first
  unjit diff out other              what changed between two such directories; status 1 if anything did
  unjit redact out --out clean      a copy that is safe to share
  unjit ingest traces --out out     such a directory from a TORCH_TRACE log, made without unjit
  unjit merge out                   where the ranks of one job differ, after torchrun … -m unjit run --out out train.py
  unjit decompile module:function   a function's bytecode as source, with a proof that it does the same
  unjit decompile file.pyc          the same for a whole file or module
  unjit doctor                      what is installed, whether it works, and what to do if not

In a program or a notebook: unjit.explain(function) after the function has run under torch.compile.
"""


class _Parser(argparse.ArgumentParser):
    """Prints its help as `say` does: where that fails, argparse itself says nothing, or ends in a traceback."""

    def _print_message(self, message: str, file: Any = None) -> None:
        if file is sys.stdout:
            say(message, end="")
        else:
            super()._print_message(message, file)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status. It is 2, with the reason, where something cannot be done.

    `run` does not return: Python, running the program, takes this process over.
    """
    withdraw()
    return writing_all(lambda: _answer(list(sys.argv[1:] if argv is None else argv)))


def _answer(ours: list[str]) -> int:
    parser: argparse.ArgumentParser = _Parser(
        prog="unjit", description=OVERVIEW, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--version", action="version", version=f"unjit {unjit.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for command in _COMMANDS:
        command.add_to(commands)
    arguments = _parsed(parser, ours)
    try:
        status: int = arguments.command(arguments)
    except UnjitError as error:
        print(f"{arguments.parser.prog}: {error}", file=sys.stderr)
        return REFUSED
    return status


def _parsed(parser: argparse.ArgumentParser, ours: list[str]) -> argparse.Namespace:
    """The command line as argparse sees it, without the program that `run` and `compare` get as `arguments.program`."""
    program = None
    if ours[:1] in (["run"], ["compare"]):
        name = ours[0]
        ours, program = run.split(ours[1:])
        ours.insert(0, name)
    arguments, strange = parser.parse_known_args(ours, argparse.Namespace(program=program))
    if "command" not in arguments:  # argparse would say so even where an option is misspelt
        parser.error(
            f"unrecognized arguments: {' '.join(strange)}" if strange else "give a command: unjit --help lists them"
        )
    if strange:  # argparse itself would print the usage of `unjit`, not that of the command
        arguments.parser.error(f"unrecognized arguments: {' '.join(strange)}")
    return arguments
