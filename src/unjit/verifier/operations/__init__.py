"""What each instruction of CPython 3.10 to 3.15 consists of, as tables: one per family, one difference per version.

Each entry is a function from the instruction to its steps. An instruction without an entry is never guessed at: the
verifier answers that it cannot verify it. `tests/verifier/test_verifier_tables.py` checks every entry against CPython's
own `dis.stack_effect`.
"""

from __future__ import annotations

from unjit.bytecode import versions as v
from unjit.verifier.operations.common import COMMON, UNTIL_3_13, UNTIL_3_14
from unjit.verifier.operations.python310 import PY310
from unjit.verifier.operations.python311 import PY311
from unjit.verifier.operations.python312 import PY312
from unjit.verifier.operations.python313 import PY313
from unjit.verifier.operations.python314 import PY314
from unjit.verifier.operations.python315 import PY315
from unjit.verifier.operations.recipes import Table

_OLD = UNTIL_3_13 | UNTIL_3_14
_OF_VERSION: dict[tuple[int, int], Table] = {
    (3, 10): _OLD | PY310,
    (3, 11): _OLD | PY311,
    (3, 12): _OLD | PY312,
    (3, 13): _OLD | PY313,
    (3, 14): UNTIL_3_14 | PY314,
    (3, 15): PY315,
}
OPERATIONS: Table = COMMON | _OF_VERSION.get(v.PYTHON, {})

# What a handler finds above its stack depth: one exception, or three entries for it and three for the former one.
EXCEPTIONS_ARE_TRIPLES = "SETUP_FINALLY" in OPERATIONS
