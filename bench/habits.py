"""How people write what bytecode leaves open: `python bench/habits.py [FOLDER …]`.

Counts, in the standard library and in the packages beside this Python that are named in PACKAGES, or in the folders
that are given, which of two ways with the same code is written. The decompiler writes the more common one.
"""

from __future__ import annotations

import argparse
import ast
import sysconfig
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

PACKAGES = ("torch", "transformers", "sympy")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    folders = parser.parse_args().folders or [Path(sysconfig.get_path("stdlib")), *packages()]
    counted: Counter[str] = Counter()
    for folder in folders:
        for tree in trees(folder):
            counted.update(habits(tree))
    for habit in sorted(counted):
        print(f"{counted[habit]:7}  {habit}")


def packages() -> Iterator[Path]:
    site = Path(sysconfig.get_path("purelib"))
    return (site / name for name in PACKAGES if (site / name).is_dir())


def trees(folder: Path) -> Iterator[ast.Module]:
    for file in sorted(folder.rglob("*.py")):
        if "site-packages" not in file.relative_to(folder).parts:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    yield ast.parse(file.read_bytes())
            except (SyntaxError, ValueError):
                continue  # of another version, or none


def habits(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, FUNCTIONS):
            yield from returns(node)
        elif isinstance(node, ast.BoolOp) and len(node.values) == 2 and all(map(is_denied, node.values)):
            yield f"denied, two: not a {word(node)} not b"
        elif is_denied(node) and isinstance(node.operand, ast.BoolOp):
            yield from denials(node.operand)
        elif isinstance(node, ast.IfExp) and is_same_attribute_of_two(node):
            yield "chosen: x.a if c else y.a"
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.IfExp):
            yield "chosen: (x if c else y).a"


def returns(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    """`return` and `return None` of a function, apart for those that return values elsewhere."""
    found = [node for node in own_nodes(function) if isinstance(node, ast.Return)]
    nothing = [node for node in found if node.value is None or is_none(node.value)]
    where = "beside returns of values" if len(nothing) < len(found) else "where no return has a value"
    for node in nothing:
        yield f"returns {where}: {'return' if node.value is None else 'return None'}"


def own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    work = list(ast.iter_child_nodes(function))
    while work:
        node = work.pop()
        yield node
        if not isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.Lambda)):
            work += ast.iter_child_nodes(node)


def denials(denied: ast.BoolOp) -> Iterator[str]:
    if any(map(is_denied, denied.values)):
        yield "denied, with a denial within: not (… not …)"
    elif len(denied.values) == 2:
        yield f"denied, two: not (a {word(denied)} b)"


def is_same_attribute_of_two(choice: ast.IfExp) -> bool:
    arms = (choice.body, choice.orelse)
    return len({arm.attr if isinstance(arm, ast.Attribute) else arm for arm in arms}) == 1


def is_denied(node: ast.AST) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)


def is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def word(test: ast.BoolOp) -> str:
    return "and" if isinstance(test.op, ast.And) else "or"


if __name__ == "__main__":
    main()
