"""What can be done about a guard that failed, by what torch says of it: a record has its words alone."""

from __future__ import annotations

import re
from typing import Final

from unjit.model.words.wording import (
    a_view_or_none,
    marks_of,
    one_place_in_memory,
    other_parts,
    requires_grad_of,
    where_it_holds,
)

_TENSOR: Final = r"tensor '(?P<what>.+)' "
_LENGTH: Final = re.compile(r"^(?:not )?len\((?P<what>.+)\)(?: [!=]= \d+)?$")
NUMBER: Final = r"-?(?:\d[\w.+-]*|inf|nan)$"
CONSTANT: Final = re.compile(rf"^(?P<what>(?!\S+\.(?:size|stride)\(\))\S+) == {NUMBER}")
MISMATCH: Final = re.compile(
    rf"^{_TENSOR}size mismatch at index (?P<dim>\d+)\. expected (?P<expected>(?![01]\b)\d+), actual (?![01]\b)\d+"
)  # of sizes that torch could let vary
OF_SETTINGS: Final = "Call it under the same settings of torch as at the compile"
_BEFORE: Final = "call, and the same for every argument whose size changes with it."  # torch raises otherwise
_OF_A_SMALL_SIZE: Final = "torch makes an entry of its own for a size of 0 or 1: pad {what}, or accept one more entry."
_COMPILED_IN: Final = (
    "What {what} does is compiled in: pass the same function in all calls, or accept an entry for each function."
)
_ADVICE: Final = tuple(
    (re.compile(said), advice)
    for said, advice in (
        (
            rf"{_TENSOR}size mismatch at index \d+\. expected (?:[01], actual \d+|\d+, actual [01])\b",
            _OF_A_SMALL_SIZE,
        ),
        (r"^[12] <= (?P<what>.+)\.size\(\)\[\d+\]$", _OF_A_SMALL_SIZE),
        (
            r"tensor 'torch\.as_tensor\((?P<what>.+)\)' size mismatch",
            "Let the size of {what} vary: compile with dynamic=True, or pass it as a tensor and mark its dimension.",
        ),
        (
            rf"{_TENSOR}size mismatch at index (?P<dim>\d+)",
            "Let the size of {what} vary: dynamic=True, or torch._dynamo.mark_dynamic({what}, {dim}) before the first "
            + _BEFORE,
        ),
        (
            rf"{_TENSOR}stride mismatch",
            "Give {what} the same layout in all calls, for example by {what}.contiguous().",
        ),
        (rf"{_TENSOR}dtype mismatch", "Convert {what} to one dtype before the call."),
        (rf"{_TENSOR}rank mismatch", "Give {what} the same number of dimensions in all calls."),
        (rf"{_TENSOR}requires_grad mismatch", requires_grad_of("{what}")),
        (
            rf"{_TENSOR}dispatch key set mismatch",
            "Make {what} on one device and in one way: a tensor made under torch.inference_mode is of another kind.",
        ),
        (
            r"expected type of '(?P<what>.+)' to be (?:a tensor type|<class ).*<class 'NoneType'>",
            "Dynamo makes an entry for None and one for a tensor: pass {what} in all calls or in none, or accept both.",
        ),
        (
            r"expected type of '(?P<what>.+)' to be (?:a tensor type|<class )",
            "Pass {what} with the same class in all calls.",
        ),
        (
            r"^Duplicate tensors? found",
            "Two of them are one tensor: pass different ones in all calls, or accept one more entry.",
        ),
        (
            r"^GLOBAL_STATE changed: (?P<what>.+)",
            f"{OF_SETTINGS} ({{what}}), or accept an entry for each.",
        ),
        (
            r"^BACKEND_MATCH failure",
            (
                "An entry serves one backend: make it once, and give torch.compile that one each time, as a function "
                "or partial that is made anew is another. Or accept an entry for each."
            ),
        ),
        (
            r"^no other torch function mode is active",
            "Call it under the same default device and modes as at the compile, or accept one more entry.",
        ),
        (
            r"^len\(\S*\.state\[.*\]\) == 0$",
            "An optimizer makes its state in its first step, and Dynamo an entry for each of the two: accept both.",
        ),
        (
            r"\.param_groups\[\d+\]\['lr'\] == ",
            (  # Adam's graph leaves it open from the second on, that of SGD does not but on eager
                "Dynamo takes the learning rate for a constant, at first and in some optimizers each time: make the "
                "optimizer with lr=torch.tensor(…), or accept an entry for each."
            ),
        ),
        (
            _LENGTH.pattern,
            (
                "Dynamo makes an entry for each length of {what}: keep it the same (add to it outside of what is "
                "compiled), or stack tensors of one shape."
            ),
        ),
        (
            r"^list\(dict\.keys\((?P<what>.+)\)\)\[\d+\] == ",
            (
                "Dynamo makes an entry for other keys of {what}, or another order of them: put the same in, in one "
                "order, in all calls, or accept those entries."
            ),
        ),
        (
            r"^(?P<what>\S+\.training) == ",
            "Dynamo makes one entry for training and one for evaluation: accept both, or always call it in one mode.",
        ),
        (
            r"^(?P<what>\S+) is (?:not )?None\b",
            "None and anything else need an entry each: let {what} be either in all calls, or accept both.",
        ),
        (
            r"^(?P<what>\S+) == (?:True|False|['\"]|b['\"]|\(|torch\.)",
            "Dynamo makes an entry for each value of {what}: keep it the same in all calls, or accept those entries.",
        ),
        (
            CONSTANT.pattern,
            "Dynamo takes {what} for a constant: pass it as a tensor, or always pass the same value.",
        ),
        (r"^(?P<what>\S+?)\.__code__ is the same (?:code|object)", _COMPILED_IN),
        (r"^(?P<what>\S+?) is the same builtin_function_or_method", _COMPILED_IN),
        (
            r"^(?P<what>\S+) is the same ",
            "Dynamo makes an entry for each {what}: use the same object in all calls, or accept those entries.",
        ),
        (r"^_(?:has_dynamo_dim_marking|dynamo_\w+_indices) ", marks_of("the tensor")),
        (
            r"^Cache line invalidated because (?P<what>.+) got deallocated$",
            (
                "Dynamo asks for the object itself: make {what} once, outside of what is compiled, and keep it for all "
                "calls, or accept an entry for each."
            ),
        ),
        (r"^there is no (?P<what>.+)", "Make sure that {what} is there in all calls, or accept one more entry."),
        (r"^(?P<what>.+) is no function written in Python$", _COMPILED_IN),
        (
            r"^(?P<what>.+) is of another class$",
            "Pass {what} with the same class in all calls, or accept an entry for each.",
        ),
        (r"^a tensor .* is not there, such as the base of one that is no view$", a_view_or_none("a tensor")),
        (r"(?P<what>[^\s()]+)\.storage_offset\(\)", one_place_in_memory("{what}")),
        (
            r"(?P<what>[^\s()*]+)\.(?:size|stride)\(\)",
            (
                "The code asks for more of the sizes of {what} than that they vary, and an entry serves only calls for "
                "which the answer is the same: make only such calls, or accept an entry for each answer."
            ),
        ),
        (
            r"^(?P<key>.+?) (?:not )?in (?P<what>(?:(?!\.__dict__)\S)+)$",
            "Put {key} into {what} in all calls or in none, or accept an entry for each.",
        ),
        (r"^type\((?P<what>.+)\) is ", "Pass {what} with the same class in all calls, or accept an entry for each."),
        (r"^(?P<condition>[^`]* (?:<=?|>=?) [^`]*)$", where_it_holds("{condition}")),
    )
)


def advice_for(condition: str) -> str | None:
    """A sentence that says what to change so that a guard of this condition holds; None where none is known."""
    length = _LENGTH.match(condition)
    if length and (told := other_parts(length["what"])):
        return told
    found = ((pattern.search(condition), sentence) for pattern, sentence in _ADVICE)
    return next((sentence.format(**match.groupdict()) for match, sentence in found if match), None)
