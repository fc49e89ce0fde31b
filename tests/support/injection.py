"""Faults at call sites: an import hook that compiles unjit with a question before each call of what is not unjit's.

A site is a call, an import, or a read of an attribute of something of torch's, in the body of a function. The import
hook rewrites `f(x)` to `__site__(number, f)(x)`, so that every site is found by the parser and none by hand. What the
callee is, is known when the call happens: calls of unjit's own functions and of builtins that cannot fail are no sites.
"""

from __future__ import annotations

import ast
import errno
import functools
import gc
import importlib.machinery
import importlib.util
import os
import signal
import sys
import threading
import types
import weakref
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path, PurePath

MARK = "injected fault"
KILLED = "SIGKILL"  # no error: the process ends there
SYSTEM = {
    "_io", "_thread", "atexit", "contextlib", "ctypes", "gc", "importlib", "inspect", "io", "linecache", "logging",
    "multiprocessing", "nt", "os", "pathlib", "platform", "posix", "posixpath", "shutil", "signal", "socket",
    "subprocess", "sys", "tempfile", "threading", "time", "tokenize", "weakref",
}  # fmt: skip
SAFE = {
    all, any, bool, bytes, callable, classmethod, dict, enumerate, filter, float, frozenset, id, int, isinstance, iter,
    issubclass, len, list, map, max, memoryview, min, next, object, property, range, reversed, set, slice, sorted,
    staticmethod, sum, super, tuple, type, zip,
    # of the library, as unjit calls it
    PurePath, gc.disable, gc.enable, gc.isenabled, threading.active_count, weakref.WeakMethod, weakref.ref,
}  # fmt: skip
ASKING = {delattr, dir, format, getattr, hasattr, repr, setattr, str, vars}  # run code of the object that they get
FAILING = {compile, eval, exec, open, print, __import__}
PLAIN = (str, bytes, bytearray, int, float, list, tuple, dict, set, frozenset, type(None), type({}.keys()))
ERRORS: dict[str, Callable[[], BaseException]] = {
    "RuntimeError": lambda: RuntimeError(MARK),
    "AttributeError": lambda: AttributeError(MARK),
    "MemoryError": lambda: MemoryError(MARK),
    "RecursionError": lambda: RecursionError(MARK),
    "KeyboardInterrupt": lambda: KeyboardInterrupt(MARK),
    **{
        f"OSError {name}": functools.partial(lambda name: OSError(getattr(errno, name), f"{MARK}: {name}"), name)
        for name in ("ENOSPC", "EACCES", "EMFILE")
    },
}


@dataclass(frozen=True)
class Fault:
    """What goes wrong: at a site, at one of its calls or at each, before the call or after it has had its effect."""

    site: str
    error: str
    each: bool = False
    after: bool = False
    call: int = 0  # which of the site's calls, from 0


@dataclass
class Faults:
    """The sites that are met, by kind, how often each is, and the fault that is armed."""

    met: dict[str, str] = field(default_factory=dict)
    calls: Counter[str] = field(default_factory=Counter)
    armed: Fault | None = None
    on: bool = False
    fired: Callable[[], None] = lambda: None

    def call(self, site: str, callee: object) -> object:
        """Asked before each call: gives what is called instead."""
        if not self.on:
            return callee
        if callee in ASKING if isinstance(callee, (type, types.BuiltinFunctionType)) else False:
            return functools.partial(self._ask, site, callee)
        kind = kind_of(callee)
        return callee if kind is None else self._meet(site, kind, callee)

    def attribute(self, site: str, owner: object, name: str) -> object:
        """A read of an attribute: a site where the owner is torch's."""
        if self.on and is_of_torch(owner) and self._hits(site, "torch"):
            self.strike()
        return getattr(owner, name)

    def importing(self, site: str) -> None:
        """Asked before each import in a function: a module's file may be out of reach by then."""
        if self.on and self._hits(site, "system"):
            self.strike()

    def strike(self) -> None:
        fault = self.armed
        assert fault is not None
        if not fault.each:
            self.armed = None
        fired, self.fired = self.fired, lambda: None  # told once: nobody reads while the program runs
        fired()
        if fault.error == KILLED:
            os.kill(os.getpid(), signal.SIGKILL)
        error = ERRORS[fault.error]()
        raise error

    def _ask(self, site: str, callee: Callable[..., object], *args: object, **kwargs: object) -> object:
        torch = any(is_of_torch(value) for value in args)
        return self._meet(site, "torch", callee)(*args, **kwargs) if torch else callee(*args, **kwargs)

    def _meet(self, site: str, kind: str, callee: Callable[..., object]) -> Callable[..., object]:
        if self._hits(site, kind):
            if not self.armed.after:
                self.strike()
            return functools.partial(self._strike_after, callee)
        return callee

    def _strike_after(self, callee: Callable[..., object], *args: object, **kwargs: object) -> None:
        callee(*args, **kwargs)
        self.strike()

    def _hits(self, site: str, kind: str) -> bool:
        self.met.setdefault(site, kind)
        number = self.calls[site]
        self.calls[site] += 1
        armed = self.armed
        return armed is not None and armed.site == site and (armed.each or armed.call == number)


FAULTS = Faults()


def kind_of(callee: object) -> str | None:
    """`torch`, `system`, `library` or `program`; None for what is unjit's own or cannot fail."""
    if isinstance(callee, (type, types.BuiltinFunctionType, types.FunctionType)) and callee in SAFE:
        return None
    if isinstance(callee, (type, types.BuiltinFunctionType)) and callee in FAILING:
        return "system"
    module = home_of(callee)
    top = module.partition(".")[0]
    if top in ("unjit", "builtins", "dataclasses", "typing", ""):
        return None
    if top == "torch":
        return "torch"
    if top in SYSTEM:
        return "system"
    return "library" if top in sys.stdlib_module_names else "program"


def home_of(callee: object) -> str:
    """The module that a callee is of."""
    if isinstance(callee, functools.partial):
        return home_of(callee.func)
    owner = getattr(callee, "__self__", None)
    if isinstance(callee, types.BuiltinFunctionType) and owner is not None:
        if isinstance(owner, types.ModuleType):
            return owner.__name__
        return "" if isinstance(owner, PLAIN) else (type(owner).__module__ or "")
    named = isinstance(callee, (type, types.FunctionType, types.MethodType, types.BuiltinFunctionType))
    return (getattr(callee, "__module__", "") if named else type(callee).__module__) or ""


def is_of_torch(value: object) -> bool:
    if isinstance(value, types.ModuleType):
        return value.__name__.partition(".")[0] == "torch"
    module = getattr(value if isinstance(value, (type, types.FunctionType)) else type(value), "__module__", "")
    return isinstance(module, str) and module.partition(".")[0] == "torch"


class Rewriter(ast.NodeTransformer):
    """Puts the question before each call in the body of a function."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.depth = 0

    def body(self, node: ast.AST) -> ast.AST:
        self.depth += 1
        if isinstance(node, ast.Lambda):
            node.body = self.visit(node.body)
        else:
            visited = (self.visit(statement) for statement in node.body)
            node.body = [new for one in visited for new in (one if isinstance(one, list) else [one])]
        self.depth -= 1
        return node

    visit_FunctionDef = visit_Lambda = body

    def visit_Import(self, node: ast.stmt) -> object:
        if not self.depth:
            return node
        return [ast.fix_missing_locations(ast.copy_location(ast.Expr(self.ask("__import_site__", node)), node)), node]

    visit_ImportFrom = visit_Import

    def visit_match_case(self, node: ast.match_case) -> ast.AST:
        """The pattern stays: names in it are no reads."""
        pattern, node.pattern = node.pattern, ast.MatchAs()
        self.generic_visit(node)
        node.pattern = pattern
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        bare = isinstance(node.func, ast.Name) and node.func.id in ("super", "__import_site__")
        if self.depth and not bare:
            node.func = self.ask("__site__", node, node.func)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if not self.depth or not isinstance(node.ctx, ast.Load) or node.attr.startswith("__"):
            return node
        return self.ask("__attribute_site__", node, node.value, ast.Constant(node.attr))

    def ask(self, question: str, node: ast.AST, *args: ast.expr) -> ast.expr:
        what = {"__site__": "", "__attribute_site__": " attribute", "__import_site__": " import"}[question]
        site = ast.Constant(f"{self.name}:{node.lineno}:{node.col_offset}-{node.end_col_offset}{what}")
        made = ast.Call(ast.Name(question, ast.Load()), [site, *args], [])
        return ast.fix_missing_locations(ast.copy_location(made, node))


def instrumented(source: str, file: str, name: str) -> types.CodeType:
    """The code of a module with its sites."""
    return compile(Rewriter(name).visit(ast.parse(source)), file, "exec", dont_inherit=True)


QUESTIONS = {
    "__site__": FAULTS.call,
    "__attribute_site__": FAULTS.attribute,
    "__import_site__": FAULTS.importing,
}


class Loader(importlib.machinery.SourceFileLoader):
    def get_code(self, fullname: str) -> types.CodeType:
        file = self.get_filename(fullname)
        short = fullname.removeprefix("unjit.")
        return instrumented(Path(file).read_text(encoding="utf-8"), file, short)

    def exec_module(self, module: types.ModuleType) -> None:
        module.__dict__.update(QUESTIONS)
        super().exec_module(module)


class Finder:
    """Finds unjit's modules; the core, which calls nothing of torch's or the system's, stays as it is."""

    CORE = ("unjit.bytecode", "unjit.verifier", "unjit.decompiler.")

    def find_spec(self, name: str, path: object = None, target: object = None) -> object:
        if name.partition(".")[0] != "unjit" or name.startswith(self.CORE):
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is not None and spec.origin is not None:
            spec.loader = Loader(name, spec.origin)
        return spec


def install() -> None:
    """From here on unjit is imported with its sites. Nothing of it may have been imported."""
    assert not any(name.partition(".")[0] == "unjit" for name in sys.modules)
    sys.meta_path.insert(0, Finder())


def import_all() -> None:
    """Every module of unjit, so that no trial has to."""
    import pkgutil

    import unjit

    for found in pkgutil.walk_packages(unjit.__path__, "unjit."):
        if ".boot" not in found.name and found.name not in ("unjit.__main__", "unjit.compat", "unjit.diagnosis.toy"):
            importlib.import_module(found.name)


def boot_file() -> str:
    return str(Path(sys.modules["unjit"].__file__).parent / "starting" / "boot" / "sitecustomize.py")
