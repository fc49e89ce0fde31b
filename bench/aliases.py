"""Programs in which variables share lists, tuples and dicts, and what the verifier takes for their equals.

    python bench/aliases.py [--seconds 60] [--seed 0]

Each program is held against changed ones: a variable for another, statements turned round or gone, values kept in a
variable of their own, a copy for what was shared. What the verifier accepts is run (see
`tests/support/generated_aliases.py`). Exits with 1 where two that were accepted differ; both are printed.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))
from generated_aliases import differ, pairs_of
from unjit.verifier import Verdict, compare


def main(seconds: float, seed: int) -> int:
    warnings.simplefilter("ignore")
    until, pairs, accepted, wrong = time.monotonic() + seconds, 0, 0, 0
    while time.monotonic() < until:
        seed += 1
        for one, other in pairs_of(seed):
            pairs += 1
            if compare(one.code, other.code).verdict is not Verdict.DIFFERENT:
                accepted += 1
                if differ(one, other):
                    wrong += 1
                    print(f"seed {seed}: accepted, and different\n{one.text}\n--\n{other.text}\n")
    print(f"{pairs:,} pairs up to seed {seed}, {accepted:,} accepted, {wrong} of them wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    sys.exit(main(options.seconds, options.seed))
