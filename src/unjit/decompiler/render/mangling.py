"""Private names: in a class `C`, `__x` is compiled to `_C__x`; source shows the name as it was written."""

from __future__ import annotations

import ast

from unjit.decompiler.ir.suites import Suite


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


def with_private_names(suite: Suite, private: str) -> Suite:
    """The suite of class `private` with its private names as they were written, nested functions included."""
    writer = _Writer(private)
    for statement in suite:
        writer.visit(statement)
    return suite


class _Writer(ast.NodeVisitor):
    """Names of functions and classes are left: they were taken from the code object, which has them as written."""

    def __init__(self, private: str) -> None:
        self.private = private

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """What stands in the inner class has that class's private names already."""
        for part in (*node.decorator_list, *node.bases, *node.keywords):
            self.visit(part)

    def visit_Name(self, node: ast.Name) -> None:
        node.id = unmangled(node.id, self.private)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        node.attr = unmangled(node.attr, self.private)
        self.visit(node.value)

    def visit_arg(self, node: ast.arg) -> None:
        node.arg = unmangled(node.arg, self.private)
        if node.annotation is not None:
            self.visit(node.annotation)

    def visit_Global(self, node: ast.Global) -> None:
        node.names = [unmangled(name, self.private) for name in node.names]

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        node.names = [unmangled(name, self.private) for name in node.names]

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        node.name = node.name and unmangled(node.name, self.private)
        self.generic_visit(node)

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        node.name = node.name and unmangled(node.name, self.private)
        self.generic_visit(node)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        node.name = node.name and unmangled(node.name, self.private)

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        node.rest = node.rest and unmangled(node.rest, self.private)
        self.generic_visit(node)
