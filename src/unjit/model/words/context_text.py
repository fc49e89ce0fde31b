"""What torch's text of a graph break names for developers, its context: read for what the break is about."""

from __future__ import annotations

import re
from typing import Final

from unjit.model.texts import Message

_CONTEXT: Final = re.compile(r"\n\s*Developer debug context:\s*(.*?)(?=\n\s*(?:Hint:|For more|\n)|\Z)", re.DOTALL)
_CLASS: Final = r"UserDefinedClassVariable\(<class '(?P<owner>[\w.]+)'>\)"
_RAISED: Final = re.compile(r"\Araised exception (?P<type>\w+)\((?P<said>.*)\)\Z", re.DOTALL)
_OLDER_RAISED: Final = re.compile(r"\Araised exception ExceptionVariable\(<class '(?:builtins\.)?(?P<type>[\w.]+)'>\)")
_CALLED: Final = re.compile(rf"\Acall_method {_CLASS} (?P<method>\w+) ")
_OPERATION: Final = re.compile(r"\bop: call_function; target: <built-in (?:function|method) (?P<name>\w+)\b")
_REFUSED: Final = re.compile(r"\ATypeError [^\n]*?: (?P<said>\w+\(\): argument '\w+'[^\n]* must be [^\n]+, not \w+)")
_ARGUMENTS: Final = re.compile(r"\Acall_function args: .*?UserDefinedObjectVariable\((?P<type>[\w.]+)\)", re.DOTALL)
_ON_A_NUMBER: Final = "attempted to jump with SymNodeVariable("
_ON_A_TENSOR: Final = re.compile(r"\Aname=\w+, type=\w+, method=<method '\w+' of 'torch\._C\.TensorBase' objects>\Z")
_SHORT: Final = re.compile(r"'[^'\\]{1,100}'|\"[^\"\\]{1,100}\"")  # what an exception says; all else is left away

A_NUMBER: Final = "a number"  # that is tested where the graph ends, and that only the data tell
OF_A_TENSOR: Final = "a method of a tensor"  # of a class that Dynamo does not take for one of tensors


def subject_of(text: str) -> Message | None:
    """What the break or error that torch tells of in `text` is about.

    That is an exception, what was called or passed, or which argument an operator refused.
    None where torch says nothing of it, or in words that are not known.
    """
    context = _CONTEXT.search(text)
    said = None if context is None else _subject(context[1].strip())
    return None if said is None else Message(said)


def _subject(context: str) -> str | None:
    if context.startswith(_ON_A_NUMBER):
        return A_NUMBER
    if _ON_A_TENSOR.match(context):
        return OF_A_TENSOR
    if found := _OLDER_RAISED.match(context):
        return found["type"]
    if found := _RAISED.match(context):
        return found[0].removeprefix("raised exception ") if _SHORT.fullmatch(found["said"]) else found["type"]
    if found := _CALLED.match(context):
        return f"{found['owner']}()" if found["method"] == "__new__" else f"{found['owner']}.{found['method']}"
    found = _REFUSED.match(context) or _OPERATION.search(context) or _ARGUMENTS.match(context)
    return None if found is None else found[1]
