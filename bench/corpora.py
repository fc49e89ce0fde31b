"""Code to measure on: what Dynamo reads and makes for the models beside this repository, and the standard library."""

from __future__ import annotations

import ast
import contextlib
import inspect
import random
import sys
import textwrap
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType

SHARED = Path(__file__).resolve().parents[2] / "shared"


@dataclass(frozen=True)
class Sample:
    """A code object, with the source that it was compiled from where there is one."""

    code: CodeType
    source: str | None = None


def models_known() -> list[str]:
    """The names of the models of ../shared/models."""
    sys.path.insert(0, str(SHARED / "models"))
    from models import MODELS  # type: ignore[import-not-found]

    return list(MODELS)


def of_models(*, only: list[str]) -> tuple[list[Sample], list[Sample]]:
    """The functions that Dynamo read when it compiled each model, plain and with breaks, and what it made of them."""
    sys.path.insert(0, str(SHARED / "models"))
    import torch
    from models import make, with_breaks
    from torch._dynamo.convert_frame import register_bytecode_hook

    seen: dict[int, tuple[CodeType, CodeType]] = {}
    handle = register_bytecode_hook(lambda old, new: seen.setdefault(id(new), (old, new)) and None)
    for name in only or models_known():
        for prepared in (lambda model: model, with_breaks):
            torch._dynamo.reset()
            model, inputs = make(name)
            with torch.no_grad(), contextlib.suppress(torch._dynamo.exc.Unsupported):
                torch.compile(prepared(model), backend="eager")(**inputs)
    handle.remove()
    read = {old: None for old, _ in seen.values()}
    return [Sample(old, source_of(old)) for old in read], [Sample(new) for _, new in seen.values()]


def source_of(code: CodeType) -> str | None:
    """The text of a function by its place in a file; None where it is not a `def`."""
    try:
        text = textwrap.dedent(inspect.getsource(code))
        ast.parse(text)
    except (OSError, SyntaxError):
        return None
    return text


def of_library(files: int, seed: int = 0, *, tests: bool = False) -> Iterator[tuple[Path, str, CodeType]]:
    """Sampled files of the running Python's standard library, their text and module code."""
    left_out = {"site-packages", "__pycache__", "idlelib"} | (set() if tests else {"test", "tests"})
    found = [p for p in sorted(Path(ast.__file__).parent.rglob("*.py")) if not left_out & {*p.parts}]
    sampled = sorted(random.Random(seed).sample(found, files)) if 0 < files < len(found) else found
    for path in sampled:
        with contextlib.suppress(SyntaxError, ValueError), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            text = path.read_text(encoding="utf-8")
            yield path, text, compile(text, path.name, "exec", dont_inherit=True)


def units_in(module: CodeType) -> Iterator[tuple[str, CodeType]]:
    """The module itself, every class body in it that is in no function, and the outermost functions, by kind."""
    yield "module", module
    work = [module]
    while work:
        for const in work.pop().co_consts:
            if isinstance(const, CodeType) and not const.co_flags & inspect.CO_OPTIMIZED:
                yield "class", const
                work.append(const)
    for code in functions_in(module):
        yield "function", code


def functions_in(module: CodeType) -> Iterator[CodeType]:
    """The outermost functions and lambdas, methods included; nested ones are covered by those around them."""
    for const in module.co_consts:
        if isinstance(const, CodeType):
            if const.co_flags & inspect.CO_OPTIMIZED:
                if not const.co_name.startswith("<") or const.co_name == "<lambda>":
                    yield const
            else:
                yield from functions_in(const)
