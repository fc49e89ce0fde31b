"""Private names: in a class `C`, `__x` is compiled to `_C__x`; source shows the name as it was written."""

from __future__ import annotations

import ast
from collections.abc import Set as AbstractSet

from unjit.decompiler.ir.tree.suites import Suite


def mangled(name: str, private: str | None) -> str:
    """The name that the compiler makes of `name` in a class called `private`; None: in no class."""
    prefix = _prefix(private)
    if prefix is None or not name.startswith("__") or name.endswith("__") or "." in name:
        return name
    return prefix + name


def unmangled(name: str, private: str | None) -> str:
    """The private name that `name` was made of, or `name` itself."""
    prefix = _prefix(private)
    if prefix is None or not name.startswith(prefix + "__"):
        return name
    written = name[len(prefix) :]
    return written if mangled(written, private) == name else name


def _prefix(private: str | None) -> str | None:
    """A class whose name is nothing but underscores has no private names."""
    stripped = (private or "").lstrip("_")
    return f"_{stripped}" if stripped else None


def looks_private(name: str) -> bool:
    """Whether it may be what the compiler made of a private name, in a class of some name."""
    return name.startswith("_") and "__" in name and not name.startswith("__")


def with_private_names(
    suite: Suite, private: str, looking: AbstractSet[str], spelled_out: AbstractSet[str] = frozenset()
) -> Suite:
    """The suite of class `private` with its private names as they were written, nested functions included.

    `looking` are the names that look private, in the suite or around it: mostly there are none to look for.
    `spelled_out` are those that were written as they are compiled, as in `self._C__x`. Names of functions and classes
    are left: they were taken from the code object, which has them as written. What stands in an inner class has that
    class's private names already.
    """
    prefix = _prefix(private)
    if prefix is None or not any(name.startswith(f"{prefix}__") for name in looking):
        return suite
    work: list[ast.AST] = [*suite]
    while work:
        node = work.pop()
        if isinstance(node, ast.ClassDef):
            work += (*node.decorator_list, *node.bases, *node.keywords)
            continue
        if isinstance(node, ast.Global | ast.Nonlocal):
            node.names = [unmangled(name, private) for name in node.names]
        field = _NAMED.get(type(node))
        name = None if field is None else getattr(node, field)
        if field is not None and name is not None and name not in spelled_out:
            setattr(node, field, unmangled(name, private))
        work += ast.iter_child_nodes(node)
    return suite


# Where nodes have a name that may be private.
_NAMED: dict[type[ast.AST], str] = {
    ast.Name: "id",
    ast.Attribute: "attr",
    ast.arg: "arg",
    ast.ExceptHandler: "name",
    ast.MatchAs: "name",
    ast.MatchStar: "name",
    ast.MatchMapping: "rest",
}
