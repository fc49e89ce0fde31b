"""The programs that several tests run: awkward functions, here and beside the repository, and the models there."""

from __future__ import annotations

import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
SHARED = TESTS.parents[1] / "shared" / "models"  # what needs it skips without
NO_SHARED = "needs ../shared/models beside the repository, and transformers"
NO_BACKWARD = {"reformer"}  # not when it is evaluated

sys.path[:0] = [str(SHARED), str(TESTS / "programs")]
try:
    import awkward
except ImportError:
    awkward = None
try:
    import models
except ImportError:
    models = None
import more_awkward  # noqa: E402

AWKWARD = {**more_awkward.CASES, **(awkward.CASES if awkward else {})}  # each makes a function and its calls
