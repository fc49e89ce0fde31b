"""Names for what has none in the bytecode: temporaries, constants without a literal, odd variable names."""

from __future__ import annotations

import builtins
import copy
import functools
import keyword
import re
import unicodedata
from collections.abc import Collection, Mapping
from types import (
    BuiltinFunctionType,
    ClassMethodDescriptorType,
    CodeType,
    FunctionType,
    MethodDescriptorType,
    MethodType,
    MethodWrapperType,
    WrapperDescriptorType,
)

from unjit.bytecode import with_nested
from unjit.bytecode.constants.shown import is_any, shown
from unjit.decompiler.ir.tree.helpers import HELPERS
from unjit.decompiler.ir.tree.nodes import Temp
from unjit.decompiler.render.definitions.mangling import looks_private

TEMPORARY = "_t"
ENCLOSING = "enclosing_function"  # around a definition that has free variables
ANNOTATED = "annotated"  # the function or class around annotations that are decompiled by themselves
_LONGEST = 40
_UNSAYABLE = frozenset({*keyword.kwlist, "__debug__"})
_NEVER_NEW = frozenset({*HELPERS, ENCLOSING, ANNOTATED, *keyword.kwlist, *dir(builtins)})
State = tuple[int, int, dict[str, str], int, int, int]


class Names:
    """The names of one top-level code object and all nested in it; nothing invented clashes with any of them."""

    def __init__(self, code: CodeType) -> None:
        self.of_code = _all_names(code)
        self.are_sayable = _are_sayable(self.of_code)
        self.invented: dict[str, None] = {}  # in this order
        self.temporaries = 0
        self.helpers: dict[str, str] = {}  # those that the source calls -> under which name
        self.helper_calls = 0
        self.constants: dict[str, object] = {}
        self.unrecovered: dict[str, CodeType] = {}  # the sentence that stands for each code object left as it is
        self.renamed: dict[str, str] = {}
        self._constant_names: dict[int, str] = {}
        self._hoisted: set[str] = set()
        self.shown: dict[str, str] = {}  # how the source says the variables that were asked for

    @functools.cached_property
    def looking_private(self) -> set[str]:
        """The names that the compiler may have made of private ones."""
        return set(filter(looks_private, self.of_code))

    def state(self) -> State:
        """What `restore` needs to take back names for source that is thrown away."""
        counts = len(self.constants), len(self.unrecovered), len(self.invented)
        return self.temporaries, self.helper_calls, dict(self.helpers), *counts

    def restore(self, state: State) -> None:
        self.temporaries, self.helper_calls, self.helpers, constants, unrecovered, invented = state
        for name in list(self.constants)[constants:]:
            del self._constant_names[id(self.constants.pop(name))]
        for sentence in list(self.unrecovered)[unrecovered:]:
            del self.unrecovered[sentence]
        for name in list(self.invented)[invented:]:
            if name not in self.renamed.values():
                del self.invented[name]

    def of_temp(self, temp: Temp) -> str:
        if temp.name is None:
            self.temporaries += 1
            temp.name = self._fresh(f"{TEMPORARY}{self.temporaries}")
        return temp.name

    def of_helper(self, helper: str) -> str:
        """The name by which the source calls a helper: its own, but where the code has that name already."""
        if helper not in self.helpers:
            self.helpers[helper] = self._fresh(helper) if helper in self.of_code else helper
        return self.helpers[helper]

    def of_constant(self, value: object) -> str:
        """A readable name for a constant that has no literal; the same for the same object."""
        known = self._constant_names.get(id(value))
        if known is None:
            known = self._fresh(_described(value))
            self._constant_names[id(value)] = known
            self.constants[known] = value
        return known

    def with_constants(self, values: Mapping[str, object]) -> Names:
        """The same names, and these for more constants; an edited source may use them."""
        more = copy.copy(self)
        more.constants = {**self.constants, **values}
        return more

    def of_variable(self, name: str) -> str:
        """The name itself where source can say it, else one that it can."""
        shown = self.shown.get(name)
        if shown is None:
            is_sayable = self.are_sayable and name in self.of_code
            shown = self.shown[name] = name if is_sayable else self._sayable(name)
        return shown

    def _sayable(self, name: str) -> str:
        if _is_sayable(name):
            return name
        if name not in self.renamed:
            self.renamed[name] = self._fresh("_" + (_identifier(name).strip("_") or "value"))
        return self.renamed[name]

    def of_definition(self, name: str) -> str:
        """A name to define a function by, whatever its code is called: `<lambda>` becomes `lambda_`."""
        if _is_sayable(name):
            return name
        found = _identifier(name).strip("_") or "function"
        if found[0].isdigit():
            return f"_{found}"
        return f"{found}_" if keyword.iskeyword(found) else found

    def of_hoisted(self, name: str, beside: Collection[str] = ()) -> str:
        """A name for a function that no expression can hold; counted as a temporary.

        The function is named so as well, and is read in the next statement alone: what was hoisted earlier may have the
        same name, but not the functions `beside` it, which the same statement reads.
        """
        self.temporaries += 1
        wanted = _identifier(name).strip("_") or "function"
        if wanted not in self._hoisted or wanted not in self.invented or wanted in beside:
            wanted = self._fresh(wanted)
            self._hoisted.add(wanted)
        return wanted

    def of_unrecovered(self, code: CodeType, reason: str) -> str:
        """A sentence like no other for code that is not shown as source."""
        name = getattr(code, "co_qualname", code.co_name)
        sentence, number = f"{name} is not recovered as source: {reason}", 1
        while sentence in self.unrecovered:
            number += 1
            sentence = f"{name} ({number}) is not recovered as source: {reason}"
        self.unrecovered[sentence] = code
        return sentence

    def _fresh(self, wanted: str) -> str:
        name, number = wanted, 1
        while name in self.of_code or name in self.invented or name in _NEVER_NEW:
            number += 1
            name = f"{wanted}_{number}"
        self.invented[name] = None
        return name


def _is_sayable(name: str) -> bool:
    return _are_sayable({name})


def _are_sayable(names: set[str]) -> bool:
    """Whether all are identifiers, and come out of the compiler, which normalizes them, as they are."""
    if not (_UNSAYABLE.isdisjoint(names) and all(map(str.isidentifier, names))):
        return False
    return all(map(str.isascii, names)) or all(unicodedata.is_normalized("NFKC", name) for name in names)


def _all_names(code: CodeType) -> set[str]:
    names: set[str] = set()
    for current in with_nested(code):
        names.update(current.co_names, current.co_varnames, current.co_cellvars, current.co_freevars)
    return names


def _qualified_name(value: object) -> str | None:
    """The name that Python keeps of a function, method or class: no attribute of the program's is asked for one."""
    function = value.__func__ if type(value) is MethodType else value
    if issubclass(type(function), type):
        return str(type.__dict__["__qualname__"].__get__(function))
    return function.__qualname__ if is_any(type(function), _NAMED) else None  # type: ignore[attr-defined]


def _identifier(text: str) -> str:
    return re.sub(r"\W+", "_", unicodedata.normalize("NFKC", text))


_CONTAINERS = (dict, list, tuple, set, frozenset)
_NAMED = (
    FunctionType, BuiltinFunctionType, ClassMethodDescriptorType, MethodDescriptorType, MethodWrapperType,
    WrapperDescriptorType,
)  # fmt: skip


def _described(value: object) -> str:
    """`torch.float32` -> torch_float32; a function or class by its name; anything else by its type."""
    name = _qualified_name(value)
    if name is None:
        try:
            text = "" if is_any(type(value), _CONTAINERS) else shown(value, _LONGEST)
        except Exception:  # as of an int with more digits than Python prints: its type's name will do
            text = ""
        plain = re.fullmatch(r"[\w.]+", text)
        name = text if plain and len(text) <= _LONGEST else f"{type(value).__name__}_constant"
    found = _identifier(name).strip("_")[:_LONGEST]
    return found if found and not found[0].isdigit() else f"constant_{found}"
