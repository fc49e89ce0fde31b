"""`python -m unjit …` is `unjit …`."""

from __future__ import annotations

import sys

from unjit.cli import main

if __name__ == "__main__":
    sys.exit(main())
