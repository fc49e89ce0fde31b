"""What is known to be clean by its form, and what stands where something was left out."""

from __future__ import annotations

import re
from typing import Final

from unjit.model.words.wording import LEFT_OUT

MARK: Final = LEFT_OUT
_SIZES = r"\[[\w\s.,+*/()-]*\]"
# f32[3][1]cpu, Sym(s77): what torch's graphs say of a value. The sizes stay.
ANNOTATION: Final = re.compile(
    rf"(?:Sym\([su]\d+\)|(?:bf|f|i|u|b|c|q)[a-z0-9]*{_SIZES}(?:{_SIZES})?(?: ?[a-z]+(?::\d)?)?)"
)
DEVICE: Final = re.compile(r"(?:cpu|cuda|xpu|mps|meta|hpu|mtia)(?::\d{1,2})?")
SIZE: Final = re.compile(r"[su]\d+|[\d\s+*/()%,.-]+|(?:[\w\s+*/()%,.-]*\b[su]\d+\b[\w\s+*/()%,.-]*)|any|ANY")
SYMBOL: Final = re.compile(r"[su]\d+")
SMALL: Final = re.compile(r"\d(?:\.0*)?")  # numbers of one digit: without them no index can be read
NAME: Final = re.compile(r"[\w.<>/!-]+")
TERM: Final = re.compile(r"[\w ./:+<>,#=()\[\]*-]*")
BREAK_LINK: Final = re.compile(r"https://[\w.-]+/compile-graph-break-site/gb/gb\d+\.html")
GROUP_OF_TORCH: Final = re.compile(r"default_pg|undefined|mesh_dim_\d")
# torch's own files, whatever their paths begin with.
TORCH_FILE: Final = re.compile(r".*(?:/site-packages/|<site-packages>/)(torch/(?:[\w-]+/)*[\w-]+\.py)")
_WORD = r"(?:\d+|[A-Z]?[a-z]+\d*|requires_grad=\d)"
# What Dynamo says of a tensor guard that failed.
TENSOR_FAILURE: Final = re.compile(
    r"tensor '(?P<what>[^\n]+)' (?P<rest>(?:size|stride|rank|dtype|requires_grad|device)[a-z ]* mismatch"
    rf"(?: at index \d+)?\. expected {_WORD}, actual {_WORD})\.?"
)
_LAYOUT = r"shape \([\w, ]*\), stride \([\w, ]*\)"
# How unjit writes a guard on a tensor: `a: float32 on cpu, shape (3,), stride (1,)`, and what it expects.
TENSOR_GUARD: Final = re.compile(
    rf"(?P<what>[^:\n]+): (?P<rest>[a-z]+\d* on [a-z]+(?::\d+)?, {_LAYOUT}(?:, requires grad)?)"
)
TENSOR_EXPECTED: Final = re.compile(
    rf"a tensor of [a-z]+\d* on [a-z]+(?::\d+)?, {_LAYOUT}(?:, requires grad)?(?:, dispatch keys [A-Za-z, ]+)?"
    rf"|torch\.[a-z]+\d*, device='[a-z]+(?::\d+)?', {_LAYOUT}(?:, requires_grad=(?:True|False))?"  # older captures
)
