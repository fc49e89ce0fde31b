"""Arguments that several commands take."""

from __future__ import annotations

import argparse


def add_directory(parser: argparse.ArgumentParser) -> None:
    """The directory of a capture, as `arguments.directory`."""
    parser.add_argument("directory", metavar="DIR", help="the directory that unjit run --out, or unjit.capture, wrote")
