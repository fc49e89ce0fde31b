"""`unjit decompile`: source from bytecode alone, with how far it is proved to be the same."""

from __future__ import annotations

import argparse
import difflib
import sys
from collections import Counter
from types import CodeType
from typing import TYPE_CHECKING

from unjit.bytecode import BytecodeError, UnsupportedPython, with_nested
from unjit.cli.decompiling.escapes import source_in
from unjit.cli.decompiling.target import BadRequest, Target
from unjit.cli.decompiling.targets import EXAMPLES, find
from unjit.cli.output import say

if TYPE_CHECKING:
    from unjit.decompiler import Decompiled


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to a parser's commands."""
    parser = commands.add_parser(
        "decompile",
        help="show bytecode as source",
        description="Show bytecode as source, and whether the source is proved to do the same. A file or a module is "
        "read and not run; for MODULE:QUALNAME the module is imported. No source file is needed.",
    )
    parser.add_argument("target", metavar="TARGET", help=EXAMPLES)
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--verify", action="store_true", help="print the verdict on each function instead of source")
    shown.add_argument("--diff", action="store_true", help="print how the source differs from the original source")
    shown.add_argument("--after", metavar="PASS", help="stop after this pass and print what the decompiler has then")
    parser.set_defaults(command=command, parser=parser)


def command(arguments: argparse.Namespace) -> int:
    """Print the verdict, as a comment, and the source below it; or what the options ask for."""
    try:
        return _command(arguments, find(arguments.target))
    except (BadRequest, BytecodeError, UnsupportedPython, TypeError) as error:
        print(f"unjit decompile: {error}", file=sys.stderr)
        return 2


def _command(arguments: argparse.Namespace, target: Target) -> int:
    from unjit.decompiler import decompile

    if _is_torchs_wrapper(target.code):
        function = f"{target.name}.__wrapped__"
        print(f"unjit decompile: torch.compile returned {target.name}: the function is {function}", file=sys.stderr)
    if arguments.after is not None:
        return _after(target, arguments.after)
    answer = decompile(target.code)
    if arguments.verify:
        return _verify(answer)
    return _diff(target, answer) if arguments.diff else _source(target, answer)


def _source(target: Target, answer: Decompiled) -> int:
    """The source below its verdict. Raises BadRequest if the terminal cannot show it in any form that is Python."""
    reason = f" ({answer.reason})" if answer.reason else ""
    source = source_in(getattr(sys.stdout, "encoding", None), answer.source)
    if source is None:
        raise BadRequest(
            f"the source of {target.name} has characters that {sys.stdout.encoding}, the encoding of standard output, "
            "has not, where no escape can stand, as in names: set PYTHONIOENCODING=utf-8"
        )
    say(f"# {target.name}: {answer.verdict}{reason}")
    say(source)
    return 0


def _is_torchs_wrapper(code: object) -> bool:
    """Whether it is what torch.compile returned for a function: its own code has nothing of the user's in it."""
    if "torch" not in sys.modules or not hasattr(code, "__wrapped__"):
        return False
    from unjit.torch_private.cache.targets import is_compiled

    return is_compiled(code)


def _verify(answer: Decompiled) -> int:
    """One line for each function, class and module; status 1 where one is opaque."""
    from unjit.decompiler import verdicts

    parts = verdicts(answer)
    for part in parts:
        reason = f"  ({part.reason})" if part.reason else ""
        say(f"{part.verdict!s:10}  line {part.line:<5} {part.name}{reason}")
    counts = Counter(str(part.verdict) for part in parts)
    say(", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())))
    return int("opaque" in counts)


def _diff(target: Target, answer: Decompiled) -> int:
    """The differences from the original, which is laid out as unjit lays out code, so that only words differ."""
    from unjit.cli.decompiling.original import side_by_side

    both = side_by_side(target.name, answer, target.source)
    if both.left_out:
        parts = " and ".join(filter(None, (", ".join(both.left_out[:-1]), both.left_out[-1])))
        print(f"unjit decompile: {parts} of {target.name} are not compared: its code alone has none", file=sys.stderr)
    lines = difflib.unified_diff(
        both.original.splitlines(), both.decompiled.splitlines(), "the source", "from the bytecode", lineterm=""
    )
    for line in lines:
        say(line)
    return 0


def _after(target: Target, name: str) -> int:
    from unjit.decompiler import PASSES, after, code_of

    if name not in PASSES:
        raise BadRequest(f"there is no pass {name!r}; they are, in order: {', '.join(PASSES)}")
    code: CodeType = code_of(target.code)
    for nested in sorted(with_nested(code), key=lambda known: known.co_firstlineno):
        say(f"# {getattr(nested, 'co_qualname', nested.co_name)}, line {nested.co_firstlineno}, after {name}")
        say(after(nested, name), end="\n\n")
    return 0
