"""The published schemas of the files of a directory, one file each; `python -m unjit.directory.schemas` writes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from unjit.model import Capture, CapturedCompile, Entry, Function, Index, Membership, Ranks, Report, Run
from unjit.model.plain.json_schema import schema_of

HERE: Final = Path(__file__).parent
KINDS: Final[dict[str, tuple[type, str]]] = {
    "index": (Index, "index.json of a directory that unjit wrote"),
    "run": (Run, "run.json of a directory that unjit wrote"),
    "function": (Function, "function.json of a directory that unjit wrote"),
    "compile": (CapturedCompile, "compile.json of a directory that unjit wrote"),
    "entry": (Entry, "entry.json of a directory that unjit wrote"),
    "report": (Report, "what unjit run --json writes"),
    "distributed": (Membership, "distributed.json of a rank's directory"),
    "ranks": (Ranks, "ranks.json of a directory that unjit merge wrote"),
    "capture": (Capture, "all data of a capture"),
}


def path_of(name: str) -> Path:
    """The file of a published schema."""
    return HERE / f"{name}.schema.json"


def generated(name: str) -> str:
    """The schema, made from the model as it is now."""
    kind, title = KINDS[name]
    return json.dumps(schema_of(kind, title), indent=1) + "\n"


def published(name: str) -> str:
    """The schema as it is shipped."""
    return path_of(name).read_text(encoding="utf-8")
