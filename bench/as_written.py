"""Functions that come back in other words than they were written in: `python bench/as_written.py [FOLDER] [--every N]`.

Each file of the folder, or of the standard library of the running Python, is compiled and decompiled as a module, and
what its functions say is held against their source: as a tree, so that layout does not count. Not counted either is
what leaves no trace in a function's code: annotations of locals, docstrings, expressions of nothing but a constant,
and declarations. What differs is printed as a diff, then how many functions did.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import sysconfig
import warnings
from collections.abc import Iterator
from pathlib import Path

from unjit.decompiler import decompile

Function = ast.FunctionDef | ast.AsyncFunctionDef
TESTS = {"test", "tests", "idle_test", "site-packages"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=Path(sysconfig.get_path("stdlib")))
    parser.add_argument("--every", type=int, default=1, metavar="N", help="take each N-th file alone")
    parser.add_argument("--from", type=int, default=0, metavar="K", dest="first", help="and the K-th as the first")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    files = [f for f in sorted(chosen.folder.rglob("*.py")) if TESTS.isdisjoint(f.relative_to(chosen.folder).parts)]
    compared = differing = 0
    for file in files[chosen.first :: chosen.every]:
        for name, before, after in pairs(file):
            compared += 1
            diff = [*difflib.unified_diff(told(before), told(after), lineterm="", n=2)]
            if diff:
                differing += 1
                print(f"#### {file.relative_to(chosen.folder)}:{before.lineno} {name}", *diff[2:], sep="\n")
    print(f"{compared} functions, {differing} of them in other words")


def pairs(file: Path) -> Iterator[tuple[str, Function, Function]]:
    """Each function of a file and what came back of it."""
    try:
        code = compile(file.read_bytes(), str(file), "exec", dont_inherit=True)
        back = ast.parse(decompile(code).source)
    except (SyntaxError, ValueError) as error:
        print(f"#### {file}: {error}")
        return
    found: dict[str, list[Function]] = {}
    for name, function in functions(back):
        found.setdefault(name, []).append(function)
    for name, function in functions(ast.parse(file.read_bytes())):
        if found.get(name):
            yield name, function, found[name].pop(0)


def functions(tree: ast.AST, around: str = "") -> Iterator[tuple[str, Function]]:
    """The functions in a tree by their qualified names, in the order of the text."""
    for node in ast.iter_child_nodes(tree):
        name = f"{around}.{node.name}" if isinstance(node, Function | ast.ClassDef) else around
        if isinstance(node, Function):
            yield name.removeprefix("."), node
        yield from functions(node, name)


def told(function: Function) -> list[str]:
    """The lines of a function without what its code does not tell."""
    return ast.unparse(_Told().visit(ast.parse(ast.unparse(function)).body[0])).splitlines()


class _Told(ast.NodeTransformer):
    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        node.returns, node.decorator_list, node.body = None, [], node.body or [ast.Pass()]
        node.args.defaults, node.args.kw_defaults = [], [None] * len(node.args.kwonlyargs)
        for argument in ast.walk(node.args):
            if isinstance(argument, ast.arg):
                argument.annotation = None
        return node

    visit_AsyncFunctionDef = visit_FunctionDef  # type: ignore[assignment]  # the same of another class

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        self.generic_visit(node)
        return ast.Assign([node.target], node.value, lineno=node.lineno) if node.value else None

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        self.generic_visit(node)
        return None if isinstance(node.value, ast.Constant) and node.value.value is not ... else node

    def visit_If(self, node: ast.If) -> ast.AST:
        self.generic_visit(node)
        node.body = node.body or [ast.Pass()]
        return node

    def visit_Global(self, _node: ast.Global) -> None:
        return None

    def visit_Nonlocal(self, _node: ast.Nonlocal) -> None:
        return None


if __name__ == "__main__":
    main()
