"""What `unjit decompile` is asked for, found: a file, a module, a function in either, and the text it is from.

Begin with `targets`.
"""

from __future__ import annotations
