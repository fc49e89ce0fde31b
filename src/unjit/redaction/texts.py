"""The texts of a capture, redacted: the policy for each file that is not data of the model."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from unjit.model import Artifact
from unjit.redaction.code import redacted_python
from unjit.redaction.values import Redactor
from unjit.redaction.words import MARK, SMALL

_NODES: Final = re.compile(r"[\w.:]+")
# Graphs and wrappers in Python that torch wrote; of any other text nobody can tell what it quotes.
_PYTHON: Final = re.compile(
    r"(?:captured|ddp_split\w*|pre_grad_(?:before|after)|joint\w*|forward|backward|inference"
    r"|\w+_post_grad_(?:before|after)|\w+_output_code)(?:_\d+)?"
)
_PROVENANCE: Final = re.compile(r"\w+_provenance(?:_\d+)?")


def redacted_text(artifact: Artifact, text: str, redactor: Redactor) -> str | None:
    """The text of an artifact; None if it is left out."""
    if artifact.suffix == ".py" and _PYTHON.fullmatch(artifact.name):
        return redacted_python(text, redactor.name)
    if _PROVENANCE.fullmatch(artifact.name):
        return _provenance(text, redactor)
    return None


def _provenance(text: str, redactor: Redactor) -> str | None:
    """Which kernel came from which nodes: names and nothing else."""
    try:
        found = _named(json.loads(text), redactor)
    except ValueError:
        return None
    return f"{json.dumps(found)}\n"


def _named(data: Any, redactor: Redactor) -> Any:
    if isinstance(data, dict):
        return {_named(key, redactor): _named(value, redactor) for key, value in data.items()}
    if isinstance(data, list):
        return [_named(item, redactor) for item in data]
    if isinstance(data, str) and not _NODES.fullmatch(data):
        raise ValueError("it is no name of a node")
    return redactor.name(data) if isinstance(data, str) else None if isinstance(data, (int, float)) else data


def redacted_configuration(text: str) -> str | None:
    """torch's configuration: flags stay, and numbers of one digit; the rest may come from the environment."""
    try:
        return f"{json.dumps(_settings(json.loads(text)), indent=1, sort_keys=True)}\n"
    except (ValueError, AttributeError):
        return None


def _settings(sections: Any) -> Any:
    return {name: {key: _setting(value) for key, value in found.items()} for name, found in sections.items()}


def _setting(value: Any) -> Any:
    if value is None or isinstance(value, bool):
        return value
    return value if isinstance(value, (int, float)) and SMALL.fullmatch(str(value)) else MARK
