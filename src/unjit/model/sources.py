"""A source, which is Dynamo's word for where a value comes from, in the words of the user."""

from __future__ import annotations

import functools
import re

_IMPORT = re.compile(r"\b__import_(\w+)")
_BUILTINS = re.compile(r"\b__builtins_dict___\d+\b")
_SUBCLASS = re.compile(r"\b__subclass_(\w+)_\d+_c\d+\b")  # the global that Dynamo keeps a class of tensors in
_STATE = re.compile(r"[LG](?<!\w.)\['([A-Za-z_]\w*)'\]")  # three times as fast as with a `\b` before it
_CHILDREN = r"_(?:modules|parameters|buffers)"
_CHILD = re.compile(rf"\.(?:{_CHILDREN}|__dict__\['{_CHILDREN}'\])\['([^']*)'\]")

_OF_CLASS = re.compile(r"\bdict\((type\([^()]*\)(?:\.__mro__\[\d+\])?)\.__dict__\)\['([A-Za-z_]\w*)'\]")


@functools.lru_cache(maxsize=1 << 12)  # a source is named again in each of its guards
def as_written(expression: str) -> str:
    """A source in Dynamo's words as the user would write it: `L['self']._modules['h']` is `self.h`."""
    expression = _STATE.sub(lambda m: m[1], expression)  # `re` takes longer over a template
    if "__builtins_" in expression:
        expression = _BUILTINS.sub("builtins", expression)
    if "__import_" in expression:
        expression = _IMPORT.sub(lambda m: m[1].replace("_dot_", "."), expression)
    if "___from_numpy(" in expression:
        expression = expression.replace("___from_numpy(", "torch.as_tensor(")  # what it does, to numbers of NumPy too
    if "__subclass_" in expression:
        expression = _SUBCLASS.sub(lambda m: m[1], expression)
    if "dict(type(" in expression:
        expression = _OF_CLASS.sub(lambda m: f"{m[1]}.{m[2]}", expression)
    return _CHILD.sub(lambda m: f".{m[1]}" if m[1].isidentifier() else f"[{m[1]}]", expression)
