"""`unjit doctor`: what is installed, what of unjit works with it, and a trial."""

from __future__ import annotations

import argparse

from unjit.cli.arguments import add_json
from unjit.cli.output import check_writable, say, say_json


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to a parser's commands."""
    parser = commands.add_parser(
        "doctor",
        help="say what is installed, whether it works, and what to do if not",
        description="Say what is installed, which parts of torch that unjit needs are there, what works with them, and "
        "what to do about the rest, and whether source comes back from what this Python compiles. Then compile a toy "
        "example on each backend, and say whether unjit sees it. "
        "The exit status is 0 if everything works and 1 if not.",
    )
    add_json(parser)
    parser.add_argument("--no-trial", action="store_true", help="do not compile the toy example")
    parser.set_defaults(command=command, parser=parser)


def command(arguments: argparse.Namespace) -> int:
    """Print the answer."""
    from unjit.api.doctor import doctor
    from unjit.render.checkup import checkup_text
    from unjit.torch_private.cache.backends import BACKENDS

    if arguments.json and arguments.json != "-":
        check_writable(arguments.json)
    checkup = doctor(backends=() if arguments.no_trial else BACKENDS)
    if arguments.json:
        say_json(checkup.to_json() + "\n", arguments.json)
    if arguments.json != "-":
        say(checkup_text(checkup))
    return 0 if checkup.well else 1
