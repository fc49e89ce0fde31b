"""A source, which is Dynamo's word for where a value comes from, in the words of the user."""

from __future__ import annotations

import functools
import re

_IMPORT = re.compile(r"\b__import_(\w+)")
_BUILTINS = re.compile(r"\b__builtins_dict___\d+\b")
_SUBCLASS = re.compile(r"\b__subclass_(\w+)_\d+_c\d+\b")  # the global that Dynamo keeps a class of tensors in
# The globals of a function that belongs to no module, as `__new__` of a namedtuple: torch has no name for them.
_UNNAMED = re.compile(r"\b___unnamed_scope_\d+_c\d+\b")
_STATE = re.compile(r"[LG](?<!\w.)\['([A-Za-z_]\w*)'\]")  # three times as fast as with a `\b` before it
_CHILDREN = r"_(?:modules|parameters|buffers)"
_CHILD = re.compile(rf"\.(?:{_CHILDREN}|__dict__\['{_CHILDREN}'\])\[(?:'([^']*)'|(\"[^\"]*\"))\]")
_ITEM = re.compile(r"\b(?:list|tuple)\.__getitem__\(([^(),]*), (-?\d+)\)")  # past what its class makes of `[]`
_VALUE = re.compile(r"\bdict\.__getitem__\(([^()]+), list\(dict\.keys\(\1\)\)\[(\d+)\]\)")  # of a class of dicts
_LEFT = re.compile(r"\b___tuple_iterator_getitem\(([^(),]*), (\d+)\)")  # of what an iterator would still give
_COUNT = re.compile(r"\b___normalize_count_iter\((.*?)\) == \((.*?)\)")
_RANGE = re.compile(r"\b___normalize_range_iter\((.*?)\) == \((.*?)\)")
_TUPLE = re.compile(r"\b___tuple_iterator_len\((.*?)\) ==")
_MODE = re.compile(r"\b___get_torch_function_mode_stack_at\((\d+)\)")
_OF_CLASS = re.compile(r"\bdict\((type\([^()]*\)(?:\.__mro__\[\d+\])?)\.__dict__\)\['([A-Za-z_]\w*)'\]")
_COPIED_DICT = re.compile(r"\bdict\(([\w.]+\.__dict__)\)(?=\[)")  # of a class that has a name, read through a proxy


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
    if ".__dict__)[" in expression:
        expression = _COPIED_DICT.sub(lambda m: m[1], expression)
    if "(" in expression:
        expression = _ITEM.sub(lambda m: f"{m[1]}[{m[2]}]", expression)
        expression = _VALUE.sub(lambda m: f"list({m[1]}.values())[{m[2]}]", expression)
    if "___" in expression:
        expression = _UNNAMED.sub("globals_of_no_module", expression)
        expression = _COUNT.sub(lambda m: f"{m[1]} goes on as itertools.count({m[2]})", expression)
        expression = _RANGE.sub(lambda m: f"{m[1]} goes on as range({m[2]})", expression)
        expression = _TUPLE.sub(lambda m: f"len(tuple({m[1]})) ==", expression)
        expression = _LEFT.sub(lambda m: f"tuple({m[1]})[{m[2]}]", expression)
        expression = _MODE.sub(lambda m: f"torch_function_modes[{m[1]}]", expression)
    return _CHILD.sub(_child, expression)


def _child(match: re.Match[str]) -> str:
    """A part of a module, by its name or, as in a list, by its number."""
    name = match[1]
    if name is None:
        return f"[{match[2]}]"
    return f".{name}" if name.isidentifier() else f"[{name}]" if name.isdecimal() else f"['{name}']"
