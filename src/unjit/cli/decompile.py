"""`unjit decompile`: the source of a function, from its bytecode alone."""

from __future__ import annotations

import argparse
import importlib
import sys


class BadTargetError(Exception):
    """The request names nothing that can be decompiled; the message is one sentence for the user."""


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to a parser's commands."""
    parser = commands.add_parser(
        "decompile",
        help="show a function's bytecode as source",
        description="Show a function's bytecode as source, with how far it is proved to be the same. "
        "The module is imported; its source file is not needed.",
    )
    parser.add_argument("target", metavar="MODULE:QUALNAME", help="e.g. json.decoder:JSONDecoder.decode")
    parser.set_defaults(command=command, parser=parser)


def command(arguments: argparse.Namespace) -> int:
    """Print the verdict, as a comment, and the source below it."""
    from unjit.decompiler import decompile

    try:
        answer = decompile(find(arguments.target))
    except (BadTargetError, TypeError) as error:
        print(f"unjit decompile: {error}", file=sys.stderr)
        return 2
    reason = f" ({answer.reason})" if answer.reason else ""
    print(f"# {arguments.target}: {answer.verdict}{reason}")
    print(answer.source)
    return 0


def find(target: str) -> object:
    """What `module:qualname` names; BadTargetError says in one sentence why there is nothing."""
    module_name, colon, qualname = target.partition(":")
    if not (module_name and colon and qualname):
        raise BadTargetError(f"{target!r} is not of the form module:qualname, as in json.decoder:JSONDecoder.decode")
    if "" not in sys.path:
        sys.path.insert(0, "")  # as python -m does: a module in the current directory is found
    found = import_module(module_name)
    for name in qualname.split("."):
        try:
            found = getattr(found, name)
        except AttributeError:
            raise BadTargetError(f"{module_name} has no {qualname!r}: there is no {name!r}") from None
    return found


def import_module(name: str) -> object:
    """The module of this name; whatever importing it raises becomes one sentence."""
    try:
        return importlib.import_module(name)
    except Exception as error:
        raise BadTargetError(f"cannot import {name}: {type(error).__name__}: {error}") from None
