"""What torch prints for a guard, taken apart: the condition, and the user's line that caused it.

A part reads `condition  # code of the line  # file:line in function (remark)`, or, when torch itself adds the guard,
`condition  # file:line in function`. The file is cut to its last few folders.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

from unjit.model.words.sources import as_written

_PLACE = re.compile(r"# (?P<file>[^#]*?):(?P<line>\d+) in (?P<function>\S+)(?P<note>.*)$", re.DOTALL)
_UNQUOTED = re.compile(r"""(?:[^'"#]+|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")*""")
_TENSOR = re.compile(
    r"check_tensor\((?P<source>.*), (?P<type>\w+), DispatchKeySet\((?P<keys>[^)]*)\), torch\.(?P<dtype>\w+), "
    r"device=(?P<device>[^,]*), requires_grad=(?P<grad>\w+), size=\[(?P<size>.*)\], stride=\[(?P<stride>.*)\]\)"
)
_IDENTITY = re.compile(r"___check_obj_id\((?P<source>.*), \d+\)(?:, type=(?P<type>.*))?$")
_TYPE = re.compile(r"___check_type_id\((?P<source>.*), \d+\)(?:, type=(?P<type>.*))?$")
_KEY = re.compile(r"(?P<no>not )?___dict_contains\((?P<key>'[^'\\]*'|\d+|.*(?=, [^,]*\)$)), (?P<source>.*)\)$")
_METADATA = re.compile(r"___check_metadata_\d+_c\S*$")
_SPEC = re.compile(r"__dtensor_spec_\d+$")
_CLASS = re.compile(r"<class '([^']*)'>")
_SETTINGS = "grad mode, autocast, default dtype, number of threads and other global settings of torch are unchanged"
_MODES = "no other torch function mode is active"
_STATES = {  # by kind of guard, and, for a reason to recompile, which tells no kind, by condition
    "GLOBAL_STATE": _SETTINGS,
    "___check_global_state()": _SETTINGS,
    "TORCH_FUNCTION_MODE_STACK": _MODES,
    "___check_torch_function_mode_stack()": _MODES,
}


@dataclass(frozen=True, slots=True)
class Comment:
    """What a printed guard says of where it comes from."""

    code: str | None  # the text of the user's line; None when torch itself added the guard
    file: str
    line: int
    function: str
    note: str | None


@dataclass(slots=True, unsafe_hash=True)  # never changed; `frozen` would make each cost three times as much
class Part:
    """One printed condition, taken apart."""

    condition: str
    comment: Comment | None = None


def take_apart(text: str) -> Part:
    """The condition and the comment of a printed guard."""
    text = text.partition("\nUser stack trace:")[0]
    start = _comment_start(text)
    return Part(text[:start].strip(), _comment(text[start:]))


@functools.lru_cache(maxsize=1 << 10)  # a few lines of the program cause most guards
def _comment(text: str) -> Comment | None:
    place = _PLACE.search(text)
    if place is None:
        return None
    code = text[: place.start()].strip().lstrip("#").strip()
    note = place["note"].strip().strip("()").strip() or None
    return Comment(code or None, place["file"].strip(), int(place["line"]), place["function"], note)


def _comment_start(text: str) -> int:
    """Where the first `#` outside a string literal stands; the end of the text if there is none."""
    first = text.find("#")
    if first < 0:
        return len(text)
    before = text[:first]
    if before.count("'") % 2 == 0 and '"' not in before and "\\" not in before:
        return first  # at once, where literals are of the plain kind, as most are
    match = _UNQUOTED.match(text)
    end = match.end() if match else 0
    if text[end : end + 1] in ("#", ""):
        return end
    found = text.find("  # ", end)  # a quote that is never closed: what follows it is no literal
    return len(text) if found < 0 else found + 2


def readable(kind: str, condition: str) -> str:
    """A condition in words that a person reads at once; as torch prints it, if its form is not known."""
    for pattern, say in ((_TENSOR, _tensor), (_IDENTITY, _identity), (_TYPE, _type), (_KEY, _key)):
        match = pattern.match(condition)
        if match:
            return say(match)
    if kind in _STATES or condition in _STATES:
        return _STATES.get(kind) or _STATES[condition]
    if _METADATA.match(condition):
        return "its __tensor_flatten__ gives the same metadata"
    if _SPEC.match(condition):
        return "its DTensor spec (mesh, placements) is the same"
    if kind == "NO_TENSOR_ALIASING":
        return "the tensors are different objects"
    return as_written(condition)


def _tensor(match: re.Match[str]) -> str:
    device = match["keys"].split(",")[0].lower() + ("" if match["device"] == "None" else f":{match['device']}")
    grad = ", requires grad" if match["grad"] == "True" else ""
    shape, stride = _dimensions(match["size"]), _dimensions(match["stride"])
    kind = "" if match["type"] == "Tensor" else f"{match['type']} "
    return f"{as_written(match['source'])}: {kind}{match['dtype']} on {device}, shape {shape}, stride {stride}{grad}"


def _dimensions(text: str) -> str:
    """`None` stands for a dimension that may have any size."""
    sizes = [("any" if size.strip() == "None" else size.strip()) for size in text.split(",") if size.strip()]
    return f"({', '.join(sizes)}{',' if len(sizes) == 1 else ''})"


def _identity(match: re.Match[str]) -> str:
    return f"{as_written(match['source'])} is the same {class_name(match['type']) or 'object'}"


def _type(match: re.Match[str]) -> str:
    name = class_name(match["type"])
    return f"type({as_written(match['source'])}) is {name or 'the same'}"


def _key(match: re.Match[str]) -> str:
    return f"{match['key']} {match['no'] or ''}in {as_written(match['source'])}"


def class_name(text: str | None) -> str | None:
    """The class in `<class 'a.b'>`."""
    found = _CLASS.search(text or "")
    return found[1] if found else None
