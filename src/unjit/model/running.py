"""The Python that runs."""

from __future__ import annotations

import sys
from typing import Final

from unjit.model.texts import Term

PYTHON_VERSION: Final = Term(sys.version.split()[0])
