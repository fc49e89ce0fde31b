"""Are the verifier's short cuts ever more lenient than its walk? `bench/short_cuts.py [--seconds S] [MODEL ...]`.

Each code object that Dynamo makes for the models (of the standard library, where there is no torch) is spoilt at one
place, in its source or in its bytecode. Where a short cut takes what came out for the original, the walk must do so
too: anything else is printed, and is a fault in the verifier. Ends with status 1 if there is any.
"""

from __future__ import annotations

import argparse
import dis
import importlib.util
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from types import CodeType

sys.path.append(str(Path(__file__).parents[1] / "tests" / "support"))
from corpora import functions_in, of_library, of_models
from mutants import mutants
from unjit.bytecode import BytecodeError
from unjit.bytecode import versions as v
from unjit.decompiler import decompile
from unjit.decompiler.errors import CannotExpress
from unjit.verifier import Verdict, compare
from unjit.verifier.compare import Comparer
from unjit.verifier.header import header_difference
from unjit.verifier.short_cuts.identical import Identities
from unjit.verifier.short_cuts.in_step import InStep
from unjit.verifier.short_cuts.strands import Strands

MODELS = ("gpt2_no_cache", "t5", "vit", "resnet")
SPOILT = 60  # of each code object, in each way


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", default=MODELS, metavar="MODEL")
    parser.add_argument("--seconds", type=float, default=600, help="CPU time after which no code object is begun")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    codes, random, counted = subjects(options.models), Random(options.seed), Counter[str]()
    random.shuffle(codes)
    until, done = time.process_time() + options.seconds, 0
    for code in codes:
        if time.process_time() > until:
            break
        done += 1
        for original, spoilt, what in spoilt_codes(code, random):
            hold(original, spoilt, what, counted)
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    print(f"Python {version}: {done} of {len(codes)} code objects; {dict(counted)}")
    return 1 if counted["too lenient"] else 0


def subjects(models: list[str]) -> list[CodeType]:
    if importlib.util.find_spec("torch") is None:
        return [code for _, _, module in of_library(60) for code in functions_in(module)]
    return [sample.code for sample in of_models(only=list(models))[1]]


def hold(original: CodeType, spoilt: CodeType, what: str, counted: Counter[str]) -> None:
    """Count what the short cuts say, against the walk and against what is said in the end."""
    counted["mutants"] += 1
    if header_difference(original, spoilt, nested=False):
        counted["another header"] += 1
        return
    try:
        quick = goes_alike(original, spoilt)
    except BytecodeError:
        counted["no bytecode"] += 1
        return
    walked = Comparer(trust_identity=False).compare(original, spoilt, nested=False)
    same = walked.verdict is not Verdict.DIFFERENT
    counted[f"{'taken' if quick else 'left'} by the short cuts, {'taken' if same else 'refused'} by the walk"] += 1
    whole = compare(original, spoilt)
    if not same and (quick or whole.verdict is not Verdict.DIFFERENT):
        counted["too lenient"] += 1
        print(f"--- {original.co_name}: {what}\nthe walk says: {walked.difference}")
        dis.dis(spoilt)


def goes_alike(one: CodeType, other: CodeType) -> bool:
    in_step = InStep(Identities(), nested_alike)
    return in_step.same(one, other) or Strands(in_step).same(one, other)


def nested_alike(one: CodeType, other: CodeType) -> bool:
    return Comparer().compare(one, other, nested=True).verdict is not Verdict.DIFFERENT


# ---------------------------------------------------------------- spoiling
def spoilt_codes(code: CodeType, random: Random) -> Iterator[tuple[CodeType, CodeType, str]]:
    """The code or its recompiled source, what it was spoilt to, and how."""
    answer = decompile(code)
    again = answer.recompile()
    if not answer.is_opaque_itself:
        texts = list(mutants(answer.source))
        for what, text in random.sample(texts, min(SPOILT, len(texts))):
            try:
                yield code, answer.compile_edited(text), f"{what}\n{text}"
            except (CannotExpress, ValueError):  # it does not compile, or has another frame
                continue
    for _ in range(SPOILT):
        yield code, *spoilt_bytes(again, random)
        yield code, *spoilt_bytes(code, random)


def spoilt_bytes(code: CodeType, random: Random) -> tuple[CodeType, str]:
    """The code with one argument changed, or two neighbouring instructions exchanged, or one of them another."""
    data, instrs = bytearray(code.co_code), list(dis.get_instructions(code))
    place = random.randrange(len(instrs))
    at, kind = instrs[place].offset, random.choice(("argument", "neighbours", "operation"))
    if kind == "argument" and instrs[place].opcode >= dis.HAVE_ARGUMENT:
        data[at + 1] = max(0, data[at + 1] + random.choice((-2, -1, 1, 2))) % 256
    elif kind == "neighbours" and place + 1 < len(instrs) and instrs[place + 1].offset == at + 2:
        data[at : at + 4] = data[at + 2 : at + 4] + data[at : at + 2]
    else:
        alike = [each for each in instrs if v.CACHES.get(each.opname, 0) == v.CACHES.get(instrs[place].opname, 0)]
        other = random.choice(alike)
        data[at : at + 2] = code.co_code[other.offset : other.offset + 2]
    return code.replace(co_code=bytes(data)), f"{kind} at {at}"


if __name__ == "__main__":
    raise SystemExit(main())
