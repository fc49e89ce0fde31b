"""Modules to decompile: found and read without importing them, or imported for what only then is there."""

from __future__ import annotations

import importlib
import pkgutil
import sys
import traceback
from collections.abc import Iterable, Sequence
from dataclasses import replace
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Any

from unjit.cli.decompiling.files import of_file
from unjit.cli.decompiling.target import BadRequest, Target


def of_module(name: str) -> Target | None:
    """The code of a module, which is not imported, nor are the packages around it; None where there is no such module.

    BadRequest says in one sentence what a module is that has no code.
    """
    spec = _spec(name)
    if spec is None:
        return None
    if spec.loader is None:
        folder = next(iter(spec.submodule_search_locations or []), name)
        raise BadRequest(f"{name} is a folder without __init__.py, which has no code: {in_folder(folder)}")
    if spec.origin is not None and spec.origin.endswith((".py", ".pyc")) and Path(spec.origin).is_file():
        return replace(of_file(Path(spec.origin)), name=name)
    return _of_loader(name, spec)


def in_folder(folder: str) -> str:
    """What to name in place of a folder."""
    files = sorted(Path(folder).glob("*.py"), key=lambda file: (file.name != "__init__.py", file.name))
    example = f", as {files[0]}" if files else ""
    return f"name a file in it{example}, or a module by its dotted name, as json.decoder"


def _of_loader(name: str, spec: ModuleSpec) -> Target:
    """What the loader of a module has that lies in no file of its own: in a zip file, or in the interpreter."""
    loader: Any = spec.loader
    if not hasattr(loader, "get_code"):
        raise BadRequest(f"module {name} is loaded in a way that shows no bytecode ({type(loader).__qualname__})")
    try:
        code = loader.get_code(spec.name)
        source = loader.get_source(spec.name) if hasattr(loader, "get_source") else None
    except Exception as error:  # a loader of anyone's
        raise BadRequest(f"cannot read {name} from {spec.origin}: {_said(error)}") from None
    if code is None:
        file = f" ({spec.origin})" if spec.has_location else ""
        kind = "built into Python" if spec.origin == "built-in" else f"an extension module{file}"
        raise BadRequest(f"module {name} is {kind}, written in C or the like: it has no Python bytecode")
    return Target(name, code, source)


# ---------------------------------------------------------------- finding
def _spec(name: str) -> ModuleSpec | None:
    """Where an import would find the module. Files first: some modules are frozen into the interpreter as well."""
    _look_in_current_folder()
    spec, path, known = None, None, ""
    for part in name.split("."):
        known = f"{known}.{part}" if known else part
        if not part.isidentifier():
            return None
        if path == []:  # `os` is no package, but has put a module of another name there for `os.path`
            return _imported_spec(name)
        spec = _in_folders(known, sys.path if path is None else path) or _by_finders(known, path)
        if spec is None:
            return None
        path = list(spec.submodule_search_locations or [])
    return spec


def _in_folders(name: str, folders: Iterable[str]) -> ModuleSpec | None:
    """A module in one of the folders or zip files.

    `PathFinder` would do the same, but of a package without `__init__.py` it imports what is around it.
    """
    specs = [spec for folder in folders if (spec := _in_folder(name, folder)) is not None]
    found = next((spec for spec in specs if spec.loader is not None), None)
    if found is None and specs:
        found = ModuleSpec(name, None)
        found.submodule_search_locations = [p for spec in specs for p in spec.submodule_search_locations or []]
    return found


def _in_folder(name: str, folder: str) -> ModuleSpec | None:
    try:
        finder: Any = pkgutil.get_importer(folder or str(Path.cwd()))
        return None if finder is None else finder.find_spec(name)
    except FileNotFoundError:  # the current folder, where it has been removed
        return None
    except Exception as error:  # in a zip file, modules are compiled when they are found
        raise BadRequest(f"cannot read {name} from {folder}: {_said(error)}") from None


def _by_finders(name: str, path: Sequence[str] | None) -> ModuleSpec | None:
    """A module that is in no folder: in the interpreter, or where a finder of an installed package looks."""
    finders = (finder for finder in sys.meta_path if finder is not PathFinder)
    specs = (finder.find_spec(name, path) for finder in finders if hasattr(finder, "find_spec"))
    return next((spec for spec in specs if spec is not None), None)


def _imported_spec(name: str) -> ModuleSpec | None:
    """That of a module which Python knows under this name; it may be of another."""
    spec = getattr(sys.modules.get(name), "__spec__", None)
    return spec if spec is None or spec.name == name else _spec(spec.name)


def _look_in_current_folder() -> None:
    if "" not in sys.path:
        sys.path.insert(0, "")  # as python -m does: a module in the current directory is found


# ---------------------------------------------------------------- importing
def imported(module_name: str, qualname: str) -> object:
    """What `module:qualname` is when the module has been imported. BadRequest says why there is none."""
    _look_in_current_folder()
    _check_packages(module_name)
    found = _import(module_name)
    for name in qualname.split("."):
        try:
            found = getattr(found, name)
        except AttributeError:
            missing = "" if name == qualname else f": there is no {name!r}"
            raise BadRequest(f"{module_name} has no {qualname!r}{missing}") from None
        except Exception as error:  # whatever a property or a `__getattr__` raises
            raise BadRequest(f"cannot get {qualname!r} of {module_name}: {_said(error)}") from None
    return found


def _check_packages(name: str) -> None:
    """Before anything is imported: for `runs.txt` Python would import, and so run, runs, and then find no txt in it."""
    around = name.rpartition(".")[0]
    spec = _spec(around) if around else None
    if spec is not None and not spec.submodule_search_locations and name not in sys.modules:
        raise BadRequest(f"there is no file and no module {name!r}: {around} is no package that has modules in it")


def _import(name: str) -> object:
    """The module of this name; whatever importing it raises becomes one sentence."""
    try:
        return importlib.import_module(name)
    except BaseException as error:  # sys.exit() raises what is no Exception
        spec = _spec(name)
        file = spec.origin if spec is not None and spec.has_location else None
        hint = f"; unjit decompile {file}:QUALNAME reads the file and does not run it" if file else ""
        raise BadRequest(f"cannot import {name}: {_said(error)}{hint}") from None


def _said(error: BaseException) -> str:
    """An exception in one line, also one that cannot tell what it says."""
    said = " ".join(str(traceback.TracebackException(type(error), error, None)).split())
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
