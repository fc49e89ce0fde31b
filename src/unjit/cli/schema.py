"""`unjit schema`: the JSON Schemas of what unjit writes."""

from __future__ import annotations

import argparse

from unjit.cli.output import say_json


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to a parser's commands."""
    from unjit.directory.schemas import KINDS

    parser = commands.add_parser(
        "schema",
        help="print the JSON Schema of a file that unjit writes",
        description="Print the JSON Schema (draft 2020-12) of index.json, or of another file that unjit writes.",
    )
    parser.add_argument("name", choices=[*KINDS], nargs="?", default="index", help="which file; index by default")
    parser.set_defaults(command=command, parser=parser)


def command(arguments: argparse.Namespace) -> int:
    """Print the schema as it is shipped."""
    from unjit.directory.schemas import published

    say_json(published(arguments.name))
    return 0
