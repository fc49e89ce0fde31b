"""`unjit run`: hand this process over to Python running the user's program, with a recorder inside."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from unjit.capturing.job.processes import prepare
from unjit.errors import UnjitError
from unjit.starting.environment import BOOT, environment
from unjit.starting.options import Options

DESCRIPTION = """\
Run a program as python does, with the same arguments, output and exit status. At its end, explain on stderr what
torch.compile did: one line for each function, then graph breaks and recompiles. Write unjit's options before the
program; what follows it belongs to the program. For options of Python's own: python -O -m unjit run SCRIPT.
"""


OPTIONS_WITH_VALUE = ("--only", "--out", "--step", "--backend", "--calls")  # of `run` and of `compare`


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to a parser's commands; `split` says which arguments the parser may see."""
    parser = commands.add_parser(
        "run",
        help="run a program unchanged, then explain what was compiled",
        description=DESCRIPTION,
        usage="unjit run [--verbose] [--only NAME] [--json [FILE]] [--out DIR [--overwrite]] [--fresh] [--redact]"
        " [--step NAME] [--debug] (SCRIPT | -m MODULE | -c CODE) [ARGUMENTS ...]",
        allow_abbrev=False,
    )
    parser.add_argument("--verbose", "-v", action="store_true", help="show entries, guards, code and graphs too")
    parser.add_argument("--only", metavar="NAME", help="show these only for functions of this name")
    parser.add_argument(
        "--json",
        nargs="?",
        const="-",
        metavar="FILE",
        help="write everything as JSON to FILE, whose name ends in .json; without FILE, as one last line on stdout",
    )
    parser.add_argument(
        "--out",
        metavar="DIR",
        default=os.environ.get("UNJIT_OUT"),
        help="write everything that torch makes into DIR (default: the environment variable UNJIT_OUT)",
    )
    parser.add_argument("--overwrite", action="store_true", help="remove what an older capture left in DIR")
    parser.add_argument(
        "--fresh",
        action="store_true",
        help="start torch with empty caches, so that nothing is missing, and record which kernel came from which line",
    )
    parser.add_argument(
        "--redact",
        action="store_true",
        help="make DIR and the JSON safe to share: without source, paths, constants, …",
    )
    parser.add_argument("--step", metavar="NAME", help="step through the code that runs in place of this function")
    parser.add_argument(
        "--debug", action="store_true", help="put what is compiled into files, so that your debugger can stop in it"
    )
    parser.set_defaults(command=command, parser=parser)


def split(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Our options, and the program with its arguments: `SCRIPT …`, `-m MODULE …` or `-c CODE …`.

    argparse cannot tell them apart: it would take options of the program for ours.
    """
    at = 0
    while at < len(arguments) and arguments[at].startswith("-") and not begins_program(arguments[at]):
        option, following = arguments[at], arguments[at + 1 : at + 2]
        takes_next = option in OPTIONS_WITH_VALUE or (
            option == "--json" and following and following[0].endswith(".json")
        )
        at += 2 if takes_next else 1
        if option == "--":
            return list(arguments[: at - 1]), list(arguments[at:])
    return list(arguments[:at]), list(arguments[at:])


def begins_program(argument: str) -> bool:
    """Whether an argument with a dash begins the program: `-m`, `-mMODULE`, `-c`, `-cCODE`, or `-`, which is stdin."""
    return argument == "-" or argument.startswith(("-m", "-c"))


def command(arguments: argparse.Namespace) -> NoReturn:
    """Become the Python that runs the program. Whatever is wrong with the program, Python says in its own words."""
    parser: argparse.ArgumentParser = arguments.parser
    python = python_running(arguments)
    out = None
    if arguments.out is not None:
        out = str(Path.cwd() / arguments.out)
        try:
            prepare(Path(out), overwrite=arguments.overwrite)
        except UnjitError as error:
            parser.error(str(error))
        warn_unless_writable(out)
    if arguments.redact and out is None and arguments.json is None:
        parser.error("--redact changes what --out and --json write: give one of them")
    options = Options(
        arguments.verbose,
        arguments.only,
        absolute(arguments.json),
        out,
        step=arguments.step,
        debug=arguments.debug,
        redact=arguments.redact,
        fresh=arguments.fresh,
    )
    os.execve(python[0], python, environment(options))  # noqa: S606 (it is the user's own command)


def python_running(arguments: argparse.Namespace) -> list[str]:
    """The command by which Python runs the program. Exits with the reason if there is no program or none can run."""
    parser: argparse.ArgumentParser = arguments.parser
    program: list[str] = arguments.program
    if not program or program in (["-m"], ["-c"]):
        parser.error("which program? Give a script, -m MODULE or -c CODE")
    problem = obstacle()
    if problem:
        parser.error(problem)
    return [sys.executable, *interpreter_options(), *program]


def warn_unless_writable(out: str) -> None:
    """Warn before a long run if nothing of it can be kept; the program runs all the same."""
    try:
        there = next(folder for folder in (Path(out), *Path(out).parents) if folder.exists())
        with tempfile.TemporaryFile(dir=there):
            return
    except OSError as error:
        reason = error.strerror or str(error)
    print(f"unjit: {out} cannot be written to ({reason}): the program runs, but nothing will be kept", file=sys.stderr)


def absolute(json_file: str | None) -> str | None:
    """The absolute path of a file to write: the program may change its directory before it is written."""
    return json_file if json_file is None or json_file == "-" else str(Path.cwd() / json_file)


def obstacle() -> str | None:
    """Why recording cannot begin in the new process; None if it can."""
    if not sys.executable:
        return "this Python does not know its own executable"
    if os.pathsep in BOOT:
        return f"unjit is installed under a path that PYTHONPATH cannot hold: {BOOT}"
    carried = interpreter_options()
    if carried and (sys.flags.no_site or sys.flags.ignore_environment):
        return f"with {' '.join(carried)} Python ignores the environment variables that unjit needs to start recording"
    return None


def interpreter_options() -> list[str]:
    """Python's own options in `python OPTIONS -m unjit run …`, meant for the program too.

    The options of the installed `unjit` script are the installer's, not the user's: they are not passed on.
    """
    if getattr(sys.modules["__main__"], "__spec__", None) is None:
        return []
    before = sys.orig_argv[1 : len(sys.orig_argv) - len(sys.argv) + 1]  # up to `-m unjit`, however joined
    if before[-1] == "unjit":
        before.pop()
    before[-1] = before[-1].removesuffix("unjit").removesuffix("m")
    return before[:-1] if before[-1] == "-" else before
