"""A capture as a directory of files, which a person can read and `load` reads back.

docs/directory.md says what lies where. Begin with `layout`, then `writer` and `loader`.
"""

from __future__ import annotations
