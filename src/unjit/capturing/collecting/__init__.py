"""What is collected while torch compiles: each record goes to its compile, and its texts into the compile's folder.

Begin with `collector`, then `building`, which is one compile; `functions` says which function it is of, and `program`
what a record does not say itself.
"""

from __future__ import annotations
