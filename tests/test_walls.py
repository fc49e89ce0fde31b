"""The walls between the packages, as docs/architecture.md draws them, and the sizes of files and functions."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "unjit"
FILES = sorted(PACKAGE.rglob("*.py"))
IDS = [str(file.relative_to(PACKAGE)) for file in FILES]
PRIVATE_NAME = re.compile(r"\btorch(\.\w+)*\._\w")  # torch._dynamo, torch.fx._lazy…; also in a string

# What each package may import of unjit. What is not named may import anything.
MAY_IMPORT = {
    "bytecode": set(),
    "collection": set(),
    "verifier": {"bytecode"},
    "decompiler": {"bytecode", "collection", "verifier"},
    "lazily": set(),
    "model": {"lazily"},
    "artifacts": {"model"},
    "stepping": {"bytecode", "decompiler", "errors", "model", "observe", "pages", "torch_private"},
    "torch_private": {"model", "bytecode", "errors"},
    "guards": {"model", "torch_private", "errors"},
    "render": {"model"},
    "report": {"model", "artifacts", "directory", "render", "findings"},
    "findings": {"model"},
    "contents": {"model", "render"},
    "differences": {"model", "directory"},
    "browsing": {"contents", "render"},
    "redaction": {"model", "directory", "errors"},
    "comparison": {"model", "torch_private", "errors"},
    "diagnosis": {"model", "torch_private", "bytecode"},
    "directory": {"model", "render", "errors"},
    "capturing": {
        *{"model", "artifacts", "render", "report", "findings", "contents", "redaction", "errors", "directory"},
        *{"bytecode", "observe", "torch_private", "api", "starting", "collection"},
    },
    "starting": set(),
    "ingesting": {"capturing", "directory", "errors", "model", "observe", "redaction", "render", "torch_private"},
    "ranks": {"directory", "errors", "model", "render", "report"},
    "pages": {"bytecode", "decompiler", "model", "observe"},
    "debugging": {"capturing", "comparison", "directory", "errors", "model", "torch_private", "observe", "pages"},
    "observe": {"model", "torch_private", "guards", "decompiler", "bytecode", "collection", "errors"},
    "rewrite": {"model", "torch_private", "observe", "guards", "decompiler", "bytecode", "errors", "api"},
}
# Not even inside a function.
READERS = ("render", "findings", "contents", "differences", "redaction", "browsing", "report")  # of the model
NO_TORCH = ("artifacts", "bytecode", "verifier", "decompiler", "model", "directory", "ranks", *READERS)
LAZY = ("cli", "capturing", "guards", "ingesting", "observe", "rewrite", "torch_private")
NO_TORCH_ON_IMPORT = ("unjit", *(f"unjit.{name}" for name in (*NO_TORCH, *LAZY)))


def package_of(file):
    """`observe` for src/unjit/observe/live/report.py, `errors` for src/unjit/errors.py."""
    return file.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(file):
    """The full names of all modules that a file imports, at any depth; of `from a import b`, both a and a.b."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative imports hide where a name comes from"
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def strings_and_names(file):
    """Each dotted name and each string of a file's code; docstrings are prose and may name anything."""
    tree = ast.parse(file.read_text())
    docs = {id(node.body[0].value) for node in ast.walk(tree) if has_docstring(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            yield ast.unparse(node)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.value


def has_docstring(node):
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return isinstance(node, kinds) and ast.get_docstring(node, clean=False) is not None


def is_prose(text):
    """Messages for people may name torch's parts, as in `torch._dynamo.reset()`: code would have no spaces."""
    return " " in text.strip()


@pytest.mark.smoke
@pytest.mark.parametrize("file", FILES, ids=IDS)
def test_packages_import_only_what_they_may(file):
    here = package_of(file)
    if here not in MAY_IMPORT:
        return
    packages = {name.split(".")[1] for name in imports(file) if name.startswith("unjit.")}
    assert packages <= MAY_IMPORT[here] | {here}


@pytest.mark.smoke
@pytest.mark.parametrize("file", FILES, ids=IDS)
def test_private_names_of_torch_stay_in_torch_private(file):
    if package_of(file) == "torch_private":
        return
    named = {text for text in strings_and_names(file) if PRIVATE_NAME.search(text) and not is_prose(text)}
    assert named | {name for name in imports(file) if PRIVATE_NAME.search(name)} == set()


@pytest.mark.smoke
@pytest.mark.parametrize("file", FILES, ids=IDS)
def test_parts_without_torch_never_import_it(file):
    if package_of(file) in NO_TORCH:
        assert not [name for name in imports(file) if name.split(".")[0] == "torch"]


@pytest.mark.parametrize("module", NO_TORCH_ON_IMPORT)
def test_importing_imports_no_torch(module):
    """In a process of its own in which torch cannot be imported, for the package and every module in it."""
    script = f"""
import importlib, pkgutil, sys
sys.modules["torch"] = None
package = importlib.import_module({module!r})
below = pkgutil.walk_packages(package.__path__, package.__name__ + ".") if {module!r} != "unjit" else []
for found in below:
    if ".boot" not in found.name:
        importlib.import_module(found.name)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.smoke
@pytest.mark.parametrize("file", FILES, ids=IDS)
def test_files_and_functions_fit_in_the_eye(file):
    text = file.read_text()
    assert len(text.splitlines()) <= 400
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    assert [node.name for node in nodes if node.end_lineno - node.lineno + 1 > 60] == []


@pytest.mark.smoke
def test_the_public_face_is_small():
    assert len((PACKAGE / "__init__.py").read_text().splitlines()) <= 120


@pytest.mark.smoke
def test_every_package_is_on_the_map():
    text = (ROOT / "docs" / "architecture.md").read_text()
    missing = {package_of(file) for file in FILES} - {"__init__", "__main__"}
    assert {name for name in missing if f"{name}" not in text} == set()
