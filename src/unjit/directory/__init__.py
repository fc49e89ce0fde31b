"""A capture as a directory of files, which a person can read and `load` reads back.

docs/directory.md says what lies where.
"""

from __future__ import annotations
