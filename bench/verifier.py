"""What the verifier accepts and costs on the standard library: `python bench/verifier.py [EVERY [FIRST]]`.

Each code object of every EVERYth file is walked beside itself, without the short cut for identical code, and beside
what `ast.unparse` makes of its source. Times are best of three, against compiling the same source.
"""

from __future__ import annotations

import ast
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import CodeType

from unjit.bytecode import decode, with_nested
from unjit.verifier import Verdict, compare
from unjit.verifier.compare import Comparer


def main(every: int = 10, first: int = 0) -> None:
    warnings.simplefilter("ignore")
    library = Path(ast.__file__).parent
    files = [file for file in sorted(library.rglob("*.py")) if not {"test", "tests", "site-packages"} & {*file.parts}]
    sources = {file: text for file in files[first::every] if (text := compilable(file))}
    print(f"Python {sys.version_info.major}.{sys.version_info.minor}, {len(sources)} files")
    acceptance(sources)
    costs(list(sources.values()))


def compilable(file: Path) -> str | None:
    try:
        text = file.read_text(encoding="utf-8")
        compiled(text)
    except (SyntaxError, ValueError):
        return None
    return text


def compiled(text: str) -> CodeType:
    return compile(text, "bench", "exec", dont_inherit=True)


def acceptance(sources: dict[Path, str]) -> None:
    itself: Counter[str] = Counter()
    relaid: Counter[str] = Counter()
    for file, text in sources.items():
        codes = with_nested(compiled(text))
        for code in codes:
            itself[str(Comparer(trust_identity=False).compare(code, code, nested=False).verdict)] += 1
        for code, other in zip(codes, with_nested(compiled(ast.unparse(ast.parse(text)))), strict=True):
            answer = compare(code, other)
            relaid[str(answer.verdict)] += 1
            if answer.verdict is Verdict.DIFFERENT:
                print(f"  {file.name}: {code.co_name}: {answer.difference}")
    print(f"walked beside itself: {dict(itself)}; beside its other layout: {dict(relaid)}")


def costs(texts: list[str]) -> None:
    modules = [compiled(text) for text in texts]
    again = [compiled(text) for text in texts]
    count = sum(len(decode(code)) for module in modules for code in with_nested(module))

    def walk() -> None:
        for one, other in zip(modules, again, strict=True):
            Comparer(trust_identity=False).compare(one, other, nested=False)

    compiling = best(lambda: [compiled(text) for text in texts])
    figures = {
        "compile": compiling,
        "decode": best(lambda: [decode(code) for module in modules for code in with_nested(module)]),
        "compare, identical": best(lambda: [compare(*pair) for pair in zip(modules, again, strict=True)]),
        "compare, walked": best(walk),
    }
    for what, seconds in figures.items():
        print(f"{what:20} {1e6 * seconds / count:6.2f} us an instruction, {seconds / compiling:5.2f} x compile")


def best(run: Callable[[], object]) -> float:
    times = []
    for _ in range(3):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
