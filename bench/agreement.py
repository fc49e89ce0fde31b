"""On how many questions the generated guards and Dynamo's own agree.

    python bench/agreement.py [--programs NAME …] [--models NAME …]

For each awkward function and each model, on eager: the entries, the frames asked about (as seen, and changed in one
property at a time: tests/support/agreement.py), how many of these the guards hold for, how many failures were looked at
for whether the guard that torch names is among all that fail, and the disagreements, which are printed in full. Exits
with 1 if there is one.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests" / "support"))

from agreement import Score, score_of  # noqa: E402
from corpus import AWKWARD, models  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--programs", nargs="*", default=sorted(AWKWARD))
    parser.add_argument("--models", nargs="*", default=list(models.MODELS))
    options = parser.parse_args()
    total = Score()
    print("entries, questions, held, failures named, asked of torch, undecided, disagreements")
    for name in options.programs:
        tell(name, score_of(*AWKWARD[name]()), total)
    for name in options.models:
        model, inputs = models.make(name)
        tell(name, score_of(model, [()], gradients=False, **inputs), total)
    tell("all", total, Score())
    return bool(total.disagreements)


def tell(name: str, score: Score, total: Score) -> None:
    counts = (score.entries, score.pairs, score.held, score.named, score.asked, score.undecided)
    print(f"{name}: {', '.join(f'{count:,}' for count in (*counts, len(score.disagreements)))}", flush=True)
    for disagreement in score.disagreements:
        print(f"    {disagreement}")
    for field in dataclasses.fields(Score):
        setattr(total, field.name, getattr(total, field.name) + getattr(score, field.name))


if __name__ == "__main__":
    sys.exit(main())
