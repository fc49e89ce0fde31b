"""Arguments that several commands take."""

from __future__ import annotations

import argparse


def add_json(parser: argparse.ArgumentParser) -> None:
    """Whether and where to write JSON, as `arguments.json`: a file, `-` for stdout, None."""
    parser.add_argument("--json", nargs="?", const="-", metavar="FILE", help="write JSON, to FILE or to stdout")


def add_directory(parser: argparse.ArgumentParser) -> None:
    """The directory of a capture, as `arguments.directory`."""
    parser.add_argument("directory", metavar="DIR", help="a capture: what unjit run --out or unjit.capture wrote")
