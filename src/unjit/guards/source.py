"""The guards of an entry as a Python function: one condition a line, in the order in which Dynamo asks.

A value that several lines read gets a name. What torch tells in no form that is known stands as a call of `ask_torch`,
which asks torch's one guard about that value, or of `unreadable` at the end, where not even the value can be reached.
"""

from __future__ import annotations

import builtins
import keyword
import re
from dataclasses import dataclass, field

from unjit.guards import runtime
from unjit.guards.expressions import negated, substituted, uses, with_names
from unjit.guards.kinds import RELATIONS
from unjit.model import Guard, GuardNode, Guards, Unknown

_WORD = re.compile(r"\w*[A-Za-z]\w*")
_PLACE = re.compile(r"(?:value_at\(_, |item\(_, |_\[)(\d+)[\])]")
_NAMES = {"_.__dict__": "dict", "type(_)": "type", "_.__mro__": "mro", "_.__closure__": "closure"}
_MOST_REMARK = 70
_RUNTIME = runtime.__all__
_TAKEN = {"L", "G", "torch", "numpy", "guards", *_RUNTIME, *dir(builtins), *keyword.kwlist}


@dataclass(frozen=True, slots=True)
class GuardSource:
    """The text, and the guards in it that only torch can answer, by the number by which the text calls them."""

    text: str
    asked: tuple[Guard, ...]
    unreadable: tuple[Guard, ...]


def source_of(guards: Guards, title: str) -> GuardSource:
    """A module with the function `guards(L)`; `L` are the frame's locals by name, `G` the function's globals."""
    writer = _Writer()
    writer.root(guards)
    body = "\n".join(f"    {line}" for line in writer.lines)
    names = sorted(name for name in _RUNTIME if re.search(rf"\b{name}\b", body))
    imports = f"from unjit.guards.runtime import guard_function, {', '.join(names)}"
    modules = [f"import {name}" for name in ("numpy", "torch") if re.search(rf"\b{name}\.", body)]
    head = [*modules, _wrapped(imports), "", "", "@guard_function", "def guards(L):", f"    {_docstring(title)}"]
    return GuardSource("\n".join([*head, body, "    return True", ""]), tuple(writer.asked), tuple(writer.unreadable))


def _docstring(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', "'")
    shown = "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in escaped)
    return f'"""{shown}"""'


def _wrapped(line: str) -> str:
    start, _, names = line.partition(" import ")
    return line if len(line) <= 100 else f"{start} import (\n    " + ",\n    ".join(names.split(", ")) + ",\n)"


@dataclass(slots=True)
class _Writer:
    """Lines of one function, and the names that its values have."""

    lines: list[str] = field(default_factory=list)
    asked: list[Guard] = field(default_factory=list)
    unreadable: list[Guard] = field(default_factory=list)
    names: set[str] = field(default_factory=lambda: set(_TAKEN))
    sources: dict[str, str] = field(default_factory=dict)  # names of values by what conditions on several call them
    relations: dict[str, Guard] = field(default_factory=dict)
    indent: str = ""

    def root(self, guards: Guards) -> None:
        tree = guards.tree
        self.own(tree, "L")
        self.lines.append("with plain_reading():")
        self.indent = "    "
        for child in tree.children:
            self.node(child, "L")
        for check, guard in self.relations.items():
            self.condition(with_names(check, self.sources), guard)
        for guard in guards.epilogue:
            if isinstance(guard.check, Unknown):
                self.ask(guard, "L")
            else:
                self.condition(with_names(guard.check, self.sources), guard)
        for guard in self.unreadable:
            self.lines.append(f"{self.indent}unreadable({str(guard.condition)!r})")
        if self.lines[-1].startswith("with "):
            self.lines.append("    pass")

    def node(self, node: GuardNode, above: str) -> None:
        """The lines about a value; `above` is an expression for the value from which it is reached."""
        if isinstance(node.access, Unknown):
            self.unreadable.extend(guard for one in node.walk() for guard in one.guards)
            return
        value = substituted(node.access, above)
        if not value.isidentifier() and _readers(node) > 1:
            value = self.named(node, value, above)
        if not isinstance(node.source, Unknown) and value.isidentifier() and value != "G":
            self.sources[node.source] = value
        self.own(node, value)
        for child in node.children:
            self.node(child, value)

    def own(self, node: GuardNode, value: str) -> None:
        for guard in node.guards:
            if isinstance(guard.check, Unknown):
                self.ask(guard, value) if guard.parts else self.unreadable.append(guard)
            elif guard.kind in RELATIONS:
                self.relations.setdefault(guard.check, guard)
            else:
                self.condition(substituted(guard.check, value), guard)

    def ask(self, guard: Guard, value: str) -> None:
        """A condition that only torch's own guard can answer."""
        self.condition(f"ask_torch({len(self.asked)}, {str(guard.condition)!r}, {value})", guard)
        self.asked.append(guard)

    def condition(self, text: str, guard: Guard) -> None:
        self.lines.append(f"{self.indent}if {negated(text)}: return False{_remark(guard)}")

    def named(self, node: GuardNode, value: str, above: str) -> str:
        """A name for a value, after how it is reached."""
        word = _word(str(node.access), above if above.isidentifier() and above not in "LG" else "")
        candidates = (word if number == 1 else f"{word}_{number}" for number in range(1, len(self.names) + 2))
        name = next(one for one in candidates if one not in self.names)
        self.names.add(name)
        self.lines.append(f"{self.indent}{name} = {value}")
        return name


def _word(access: str, above: str) -> str:
    """`weight` for `_['weight']`, `layers_0` for the first value of `layers`, `linear` for `torch.nn.linear`."""
    if access in _NAMES:
        return f"{above or 'value'}_{_NAMES[access]}"
    place = _PLACE.fullmatch(access)
    if place:
        return f"{above or 'value'}_{place[1]}"
    words = _WORD.findall(access)
    word = words[-1].rpartition("_dot_")[2].removeprefix("__import_").strip("_") if words else ""
    return word if word.isidentifier() and not keyword.iskeyword(word) else "value"


def _readers(node: GuardNode) -> int:
    """How often the lines about a value and those reached from it read the value."""
    checks = [guard.check for guard in node.guards if guard.kind not in RELATIONS]
    templates = [*checks, *(child.access for child in node.children)]
    relations = sum(guard.kind in RELATIONS for guard in node.guards)
    return relations + sum(1 if isinstance(text, Unknown) else uses(text) for text in templates)


def _remark(guard: Guard) -> str:
    """The user's line behind a condition."""
    if guard.cause is None or isinstance(guard.cause, Unknown) or isinstance(guard.cause.code, Unknown):
        return ""
    code = " ".join(guard.cause.code.split())
    code = code if len(code) <= _MOST_REMARK else f"{code[: _MOST_REMARK - 1]}…"
    return f"  # {code}"
