"""What the tests of a case say about the subject and its parts, and the pattern that asks all of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir.tree.nodes import Helper, Temp

Bound = dict[Temp, list[str]]  # by which names each part goes, in the order in which they are stored
_LITERALS = (int, float, complex, str, bytes)


@dataclass
class Parts:
    """The parts that one value was taken apart into; `star` is the place of the one that gets the rest."""

    targets: list[Temp]
    star: int | None = None


@dataclass
class Facts:
    """What is known of each temp. Those of an alternative of an or-pattern are its own, `definitions` are shared."""

    definitions: dict[Temp, ast.expr]
    values: dict[Temp, ast.pattern] = field(default_factory=dict)  # equal to this, or this very singleton
    sequences: set[Temp] = field(default_factory=set)
    mappings: set[Temp] = field(default_factory=set)
    lengths: dict[Temp, tuple[bool, int]] = field(default_factory=dict)  # (exactly or at least, how many)
    keys: dict[Temp, tuple[Temp, ast.expr]] = field(default_factory=dict)  # mapping -> (its values, for which keys)
    classes: dict[Temp, tuple[Temp, Helper]] = field(default_factory=dict)  # instance -> (its attributes, the question)
    parts: dict[Temp, Parts] = field(default_factory=dict)
    picked: dict[Temp, dict[int, Temp]] = field(default_factory=dict)  # part by index, from the end if negative
    rests: dict[Temp, Temp] = field(default_factory=dict)  # mapping -> the dict of what its pattern does not name
    choices: dict[Temp, list[tuple[Facts, dict[Temp, Temp]]]] = field(default_factory=dict)  # with what is chosen

    def knows(self, temp: Temp) -> bool:
        tables = (self.values, self.sequences, self.mappings, self.classes, self.choices)
        return any(temp in table for table in tables)

    # ------------------------------------------------------------ patterns
    def pattern(self, temp: Temp, names: Bound) -> ast.pattern:
        """The pattern that asks what is known of `temp`, and binds `names`. Raises CannotExpress if none does."""
        known = names.get(temp, [])
        pattern: ast.pattern | None = self._asked(temp, names) if self.knows(temp) else None
        for name in known:
            pattern = ast.MatchAs(pattern, name)
        return ast.MatchAs(None, None) if pattern is None else pattern

    def _asked(self, temp: Temp, names: Bound) -> ast.pattern:
        if temp in self.choices:
            return ast.MatchOr([self._chosen(temp, facts, chosen, names) for facts, chosen in self.choices[temp]])
        if temp in self.values:
            return self.values[temp]
        if temp in self.sequences:
            return ast.MatchSequence(list(self._items(temp, names)))
        if temp in self.mappings:
            return self._mapping(temp, names)
        return self._class(temp, names)

    def _chosen(self, temp: Temp, facts: Facts, chosen: dict[Temp, Temp], names: Bound) -> ast.pattern:
        """One alternative: what it binds goes by the names of what was chosen."""
        inside = {part: names[param] for param, part in chosen.items() if param in names}
        return facts.pattern(temp, inside)

    def _items(self, temp: Temp, names: Bound) -> Iterator[ast.pattern]:
        if temp in self.parts:
            parts = self.parts[temp]
            for k, part in enumerate(parts.targets):
                yield ast.MatchStar(_only(names, part)) if k == parts.star else self.pattern(part, names)
            return
        exactly, count = self.lengths.get(temp, (False, 0))
        picked = self.picked.get(temp, {})
        after = -min([0, *picked])
        for k in range(count):
            if k == count - after and not exactly:
                yield ast.MatchStar(None)
            found = picked.get(k if exactly or k < count - after else k - count)
            yield ast.MatchAs(None, None) if found is None else self.pattern(found, names)
        if not exactly and not after:
            yield ast.MatchStar(None)

    def _mapping(self, temp: Temp, names: Bound) -> ast.pattern:
        keys: list[ast.expr] = []
        patterns: list[ast.pattern] = []
        if temp in self.keys:
            found, asked = self.keys[temp]
            keys = self._each(asked)
            patterns = self._parts_of(found, len(keys), names)
        rest = self.rests.get(temp)
        return ast.MatchMapping(keys, patterns, None if rest is None else _only(names, rest))

    def _class(self, temp: Temp, names: Bound) -> ast.pattern:
        found, asked = self.classes[temp]
        _, class_, attributes, count = asked.args
        if not (isinstance(attributes, ast.Constant) and isinstance(count, ast.Constant)):
            raise CannotExpress("a class pattern asks for attributes that are not written in it")
        keywords = [str(name) for name in attributes.value]  # type: ignore[union-attr]  # names, by construction
        patterns = self._parts_of(found, int(count.value) + len(keywords), names)  # type: ignore[arg-type]  # a count
        split = len(patterns) - len(keywords)
        return ast.MatchClass(self.written(class_), patterns[:split], keywords, patterns[split:])

    def _parts_of(self, found: Temp, count: int, names: Bound) -> list[ast.pattern]:
        if found in self.parts:
            return [self.pattern(part, names) for part in self.parts[found].targets]
        picked = self.picked.get(found, {})
        return [self.pattern(picked[k], names) if k in picked else ast.MatchAs(None, None) for k in range(count)]

    # ------------------------------------------------------------ values
    def written(self, value: ast.expr) -> ast.expr:
        """A value as it is written in a pattern: a constant, a name, an attribute."""
        if isinstance(value, Temp) and value in self.definitions:
            return self.written(self.definitions[value])
        if isinstance(value, ast.Attribute):
            return ast.Attribute(self.written(value.value), value.attr, ast.Load())
        if isinstance(value, ast.Name | ast.Constant):
            return value
        raise CannotExpress("a pattern compares with something that no pattern can say")

    def _each(self, keys: ast.expr) -> list[ast.expr]:
        if isinstance(keys, Temp):
            keys = self.definitions[keys]
        if isinstance(keys, ast.Constant) and isinstance(keys.value, tuple):
            return [ast.Constant(key) for key in keys.value]
        if isinstance(keys, ast.Tuple):
            return [self.written(key) for key in keys.elts]
        raise CannotExpress("a mapping pattern asks for keys that are not written in it")


def _only(names: Bound, temp: Temp) -> str | None:
    """The one name of what cannot be a pattern of its own."""
    known = names.get(temp, [])
    if len(known) > 1:
        raise CannotExpress("the rest of a pattern is stored twice")
    return known[0] if known else None


def value_pattern(value: ast.expr) -> ast.pattern | None:
    """The pattern that compares with `value`; None where a pattern would mean something else by it."""
    literal = isinstance(value, ast.Constant) and type(value.value) in _LITERALS
    return ast.MatchValue(value) if literal or isinstance(value, ast.Attribute) else None
