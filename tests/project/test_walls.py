"""The walls between the packages, read from the map in docs/architecture.md, and the sizes of files and functions."""

from __future__ import annotations

import ast
import functools
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "unjit"
FILES = sorted(PACKAGE.rglob("*.py"))
IDS = [str(file.relative_to(PACKAGE)) for file in FILES]
PASSES = "unjit.decompiler.passes."
PRIVATE_NAME = re.compile(r"\btorch(\.\w+)*\._\w")  # torch._dynamo, torch.fx._lazy…; also in a string
PRIVATE_ATTRIBUTE = re.compile(r"_(?!_)\w+(?<!__)")  # x._y, and not x.__class__
# What is private to Python, and not to torch; whose it is, and why it is read.
NOT_TORCHS = {
    "_SubParsersAction": "argparse has no public name for what holds the commands",
    "_all_opname": "dis has no public list of the operations that the interpreter puts in the place of others",
    "_co_code_adaptive": "code objects give in no other way their bytes as they lie in memory",
    "_current_frames": "sys has no public function for the frames of all threads",
    "_fields": "ast's and namedtuple's, and documented",
    "_getframe": "sys has no public function for a frame",
    "_inline_cache_entries": "opcode's: how many words of a cache follow an instruction is public from 3.13 on",
    "_lru_cache_wrapper": "functools has no public name for the class of what lru_cache makes",
    "_name_": "enum's, and documented",
    "_registered_with_atexit": "weakref.finalize tells so that its finalizers run at the exit",
    "_registry": "weakref.finalize has no public list of the finalizers that are waiting",
    "_replace": "namedtuple's, and documented",
    "_value_": "enum's, and documented",
    "_value2member_map_": "enum has no public way to the members that several of a flag make together",
    "_varname_from_oparg": "code objects tell in no other way the variable that an instruction names",
}
# Words that no object is asked for.
WORDS = {
    "capturing/collecting/building.py": {"_cache"},  # as the kinds of torch's records end
    "capturing/reading/kernels.py": {"_cache"},  # the same
    "torch_private/installing/looking.py": {"_dynamo"},  # the folder in which Dynamo's own functions are
    "redaction/expressions.py": {"_buffers", "_modules", "_parameters"},  # as guards print them: they stay readable
    "model/explained/guards.py": {"_TorchCompileInductorWrapper"},  # as torch names the backend in its reasons
    "model/words/wording.py": {"_buffers", "_modules", "_parameters"},  # as guards print them
}
ASKING = {"getattr", "hasattr", "setattr", "delattr", "attrgetter", "methodcaller", "get"}  # vars(x).get

# What each folder of a package may import of it; what lies beside the folders may import anything of the decompiler,
# and of the model is what all its folders build on.
WITHIN = {
    "decompiler": {
        "ir": {"errors"},
        "lift": {"errors", "ir", "kinds"},
        "folding": {"ir"},
        "passes": {"errors", "folding", "ir", "kinds"},
        "structuring": {"errors", "ir", "kinds"},
        "render": {"errors", "ir", "kinds", "lift"},
        "recompiling": {"errors", "ir", "kinds", "render"},
        "answer": {"errors", "ir", "render"},
    },
    "model": {
        "plain": {"texts", "unknown"},
        "words": {"places", "texts", "unknown"},
        "explained": {"places", "plain", "texts", "unknown", "words"},
        "answers": {"explained", "places", "plain", "texts", "unknown"},
        "captured": {"answers", "explained", "places", "plain", "texts", "unknown"},
    },
}
# Not even inside a function.
READERS = ("render", "findings", "contents", "differences", "redaction", "browsing", "report")  # of the model
NO_TORCH = ("artifacts", "bytecode", "verifier", "decompiler", "model", "directory", "ranks", *READERS)
LAZY = ("cli", "capturing", "guards", "ingesting", "observe", "rewrite", "torch_private")
NO_TORCH_ON_IMPORT = ("unjit", *(f"unjit.{name}" for name in (*NO_TORCH, *LAZY)))


def map_of_packages():
    """For each package on the map of docs/architecture.md the names in its last column; None for `anything`."""
    text = (ROOT / "docs" / "architecture.md").read_text()
    for name, imported in re.findall(r"^\| `(\w+)` \| .+ \| (.+) \|$", text, re.MULTILINE):
        names = set(re.findall(r"`(\w+)`", imported))
        assert names or imported in ("nothing", "anything"), f"{name} may import {imported}"
        yield name, None if imported == "anything" else names


MAY_IMPORT = dict(map_of_packages())


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


def imports_below(*folders):
    """Each file below a folder of unjit with each name that it imports of that package."""
    for file in sorted(PACKAGE.joinpath(*folders).rglob("*.py")):
        yield from ((file, name) for name in imports(file) if name.startswith(f"unjit.{folders[0]}."))


def strings_and_names(file):
    """Each dotted name and each string of a file's code; docstrings are prose and may name anything."""
    tree = ast.parse(file.read_text())
    docs = {id(node.body[0].value) for node in ast.walk(tree) if has_docstring(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            yield ast.unparse(node)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.value


def private_attributes(file):
    """The private attributes of objects that are not made in a file, which its code reads, sets or asks for.

    A name that the file defines itself is its own, and so is what a class takes from a base of ours.
    """
    tree = ast.parse(file.read_text())
    own = set(defined(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and not (is_of_self(node.value) and node.attr not in names_of_torch()):
            yield from {node.attr} - own
        elif isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in ASKING:
            yield from {text.value for text in node.args if is_text(text)} - own
        elif isinstance(node, ast.Compare) and ast.unparse(node.left).endswith("__name__"):
            yield from {text.value for text in node.comparators if is_text(text)} - own
        elif is_text(node) and (node.value in names_of_torch() or re.match(r"_\w*dynamo", node.value)):
            yield from {node.value} - own


def defined(tree):
    """The names that a file gives to functions, classes, variables and attributes of `self`."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and is_of_self(node.value):
            yield node.attr


def is_of_self(node):
    return ast.unparse(node) in ("self", "cls", "super()")


def is_text(node):
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


@functools.cache
def names_of_torch():
    """The private attributes of the objects of torch's that programs hold, and all that a probe asks for."""
    import torch
    import torch._dynamo
    import torch.fx

    from unjit.torch_private.probes.table import PROBES

    graph = torch.fx.symbolic_trace(torch.nn.Identity())
    held = [torch, torch._dynamo, torch.ones(1), graph, graph.graph, next(iter(graph.graph.nodes))]
    held += [torch.compile(torch.nn.Identity(), backend="eager"), torch.ops.aten.add, torch.ops.aten.add.Tensor]
    found = {name for one in held for name in dir(one)} | {probe.attribute for probe in PROBES}
    return {name for name in found if PRIVATE_ATTRIBUTE.fullmatch(name)}


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
    allowed = MAY_IMPORT.get(here)
    packages = {name.split(".")[1] for name in imports(file) if name.startswith("unjit.")}
    assert allowed is None or packages <= allowed | {here}


@pytest.mark.smoke
@pytest.mark.parametrize(("package", "folder"), [(package, folder) for package in WITHIN for folder in WITHIN[package]])
def test_each_folder_knows_only_what_it_may_of_its_package(package, folder):
    known = {name.split(".")[2] for _, name in imports_below(package, folder)}
    assert known <= WITHIN[package][folder] | {folder}


@pytest.mark.smoke
@pytest.mark.parametrize("package", WITHIN)
def test_each_folder_of_these_packages_has_walls(package):
    folders = {path.name for path in (PACKAGE / package).iterdir() if (path / "__init__.py").exists()}
    assert folders == WITHIN[package].keys()


@pytest.mark.smoke
def test_modules_in_a_family_of_passes_are_those_that_the_pipeline_names():
    named = {tuple(name.split(".")[3:5]) for name in imports(PACKAGE / "decompiler" / "pipeline.py") if PASSES in name}
    files = (PACKAGE / "decompiler" / "passes").glob("*/*.py")
    assert {(file.parent.name, file.stem) for file in files if file.stem != "__init__"} == {n for n in named if n[1:]}


@pytest.mark.smoke
def test_no_family_of_passes_looks_into_another():
    looked = imports_below("decompiler", "passes")
    assert [
        (file, name)
        for file, name in looked
        if name.startswith(PASSES) and name.split(".")[3] != file.relative_to(PACKAGE).parts[2]
    ] == []


@pytest.mark.smoke
@pytest.mark.parametrize("file", FILES, ids=IDS)
def test_private_names_of_torch_stay_in_torch_private(file):
    if package_of(file) == "torch_private":
        return
    named = {text for text in strings_and_names(file) if PRIVATE_NAME.search(text) and not is_prose(text)}
    assert named | {name for name in imports(file) if PRIVATE_NAME.search(name)} == set()


@pytest.mark.smoke
@pytest.mark.parametrize("file", FILES, ids=IDS)
def test_private_attributes_of_torchs_objects_are_asked_for_by_probes(file):
    """In torch_private as well, where a name without a probe could raise in a torch that does not have it."""
    if file.parent.name == "probes":
        return
    asked_for = {name for name in private_attributes(file) if PRIVATE_ATTRIBUTE.fullmatch(name)}
    assert asked_for - set(NOT_TORCHS) - WORDS.get(str(file.relative_to(PACKAGE)), set()) == set()


@pytest.mark.smoke
def test_the_wall_sees_an_attribute_however_it_is_asked_for(tmp_path):
    asks = ["x._is_view()", "getattr(x, '_base')", "vars(x).get('_modules')", "MARKS = ['_dynamo_of_another_torch']"]
    asks += ["class A(torch.nn.Module):\n    def f(self): return self._modules", "operator.attrgetter('_anything')(x)"]
    asks += ["vars(x).get('_of_another_torch')", "type(x).__name__ == '_OfAnotherTorch'"]
    fine = ["x.__class__", "self._mine", "x._y = 1\nclass A:\n    def _y(self): ...", "_modules = 1"]
    file = tmp_path / "file.py"
    for text in [*asks, *fine]:
        file.write_text(text)
        found = [name for name in private_attributes(file) if PRIVATE_ATTRIBUTE.fullmatch(name)]
        assert bool(found) is (text in asks), text


def test_what_may_be_asked_for_is_asked_for():
    found = {str(file.relative_to(PACKAGE)): set(private_attributes(file)) for file in FILES}
    assert set(NOT_TORCHS) - set().union(*found.values()) == set()
    assert {name: words - found[name] for name, words in WORDS.items() if words - found[name]} == {}


@pytest.mark.smoke
@pytest.mark.parametrize("file", FILES, ids=IDS)
def test_probes_are_asked_through_torch_private(file):
    """What a probe lacks is said there, once. The doctor lists probes: it has them as its subject."""
    if package_of(file) not in ("torch_private", "diagnosis"):
        tables = [name for name in imports(file) if re.match(r"unjit\.torch_private\.probes\.\w*probes", name)]
        assert tables == []


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
def test_the_map_has_each_package_and_nothing_else():
    assert {package_of(file) for file in FILES} - {"__init__", "__main__"} == MAY_IMPORT.keys()
