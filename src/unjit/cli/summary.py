"""`unjit summary`: the facts that matter of a capture, short enough for a coding assistant."""

from __future__ import annotations

import argparse

from unjit.cli.arguments import add_directory
from unjit.cli.output import say


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to a parser's commands."""
    parser = commands.add_parser(
        "summary",
        help="the facts that matter of a capture, short enough for a coding assistant",
        description="Print what is worth acting on in the capture of a directory, most important first, with file and "
        "line, then functions and times, and what was left out for brevity. Tokens are estimated, rather too many than "
        "too few: one for every three letters of a word, and one for each other character. The exit status is 2 if "
        "there is no capture.",
    )
    add_directory(parser)
    parser.add_argument(
        "--max-tokens", type=int, default=2000, metavar="N", help="at most how long it is (default: 2000)"
    )
    parser.set_defaults(command=command, parser=parser)


def command(arguments: argparse.Namespace) -> int:
    """Print the text."""
    from unjit.capturing.captured import load
    from unjit.render.printable import printable

    say(printable(load(arguments.directory).summary(max_tokens=arguments.max_tokens)), end="")
    return 0
