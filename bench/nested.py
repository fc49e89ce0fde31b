"""How statements within statements come back: `python bench/nested.py [COUNT [SEED [DEPTH]]]`.

Of the functions, and of the modules, that put each small statement into each two compound ones, COUNT drawn by chance,
on lines of their own and with suites on the line of their header: how many are identical, how many have a variable that
nobody wrote, and how many no source. With DEPTH, functions that put it into so many.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from random import Random
from types import CodeType

from unjit.decompiler import Verdict, decompile
from unjit.decompiler.answer.result import Decompiled

sys.path.append(str(Path(__file__).parents[1] / "tests" / "support"))

from nested_statements import drawn, functions, modules, on_header_lines


def main(count: int = 6000, seed: int = 1, depth: int = 0) -> None:
    warnings.simplefilter("ignore")
    print(f"Python {sys.version_info.major}.{sys.version_info.minor}, seed {seed}")
    for name, texts in corpora(count, seed, depth).items():
        for layout, laid_out in ((name, str), (f"{name} with suites on header lines", on_header_lines)):
            codes = (code_of(laid_out(text), is_function=name == "functions") for text in texts)
            report(layout, [decompile(code) for code in codes if code is not None])


def corpora(count: int, seed: int, depth: int) -> dict[str, list[str]]:
    """The texts by what they are; without a depth, some of all that are two deep."""
    if depth:
        return {"functions": [text for _, text in drawn(depth, count, seed)]}
    every = {"functions": [text for _, text in functions(2)], "modules": [text for _, text in modules(2)]}
    return {name: Random(seed).sample(texts, min(count, len(texts))) for name, texts in every.items()}


def code_of(text: str, *, is_function: bool) -> CodeType | None:
    """The code of a text; None for one that is no Python, such as a `break` outside of loops."""
    try:
        module = compile(text, "nested", "exec", dont_inherit=True)
    except SyntaxError:
        return None
    return next(const for const in module.co_consts if isinstance(const, CodeType)) if is_function else module


def report(name: str, answers: list[Decompiled]) -> None:
    identical = sum(answer.verdict is Verdict.IDENTICAL for answer in answers)
    opaque = sum(answer.verdict is Verdict.OPAQUE for answer in answers)
    unnatural = sum(answer.synthetic.temporaries + answer.synthetic.selectors > 0 for answer in answers)
    share = identical / max(len(answers), 1)
    print(f"{len(answers):6} {name}: {share:.1%} identical, {unnatural} with our variables, {opaque} without source")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
