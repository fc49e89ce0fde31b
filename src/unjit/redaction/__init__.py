"""A capture that is safe to share: without source text, paths, host and environment values, and constants.

What cannot be shown to be clean is left out, and said. Names stay: of functions, arguments, attributes, modules,
globals and nodes; and line numbers, sizes, strides, dtypes, devices, times, counts, versions. docs/redaction.md has the
policy. Begin with `values`, the pass over the model, then `texts`, the policy for files.
"""

from __future__ import annotations

from unjit.redaction.directory import redact_compile, redact_directory, redact_files
from unjit.redaction.values import Redactor

__all__ = ["Redactor", "redact_compile", "redact_directory", "redact_files"]
