"""Whether two code objects do the same.

The verifier sees only the two code objects and shares nothing with the decompiler but `unjit.bytecode`. It answers
IDENTICAL, EQUIVALENT (proved) or DIFFERENT (could not be proved). What counts as the same:

* In order, everything that code outside the frame can see: operations on objects, on namespaces and cells, calls,
  imports, iteration, what is yielded, returned and raised; with each, the locals of the original, bound or not, and
  the exception being handled.
* Locals that only the candidate has are not seen, nor are lines, names and the docstring of the outermost code
  itself, the time at which an object is freed, where a signal or another thread cuts in, and running out of memory.
* An immutable constant is the same as one that is equal and of the same type, whether loaded or built; qualified
  names are not compared, as they say where code stands.
"""

from __future__ import annotations

from unjit.verifier.compare import Comparison, Verdict, compare

__all__ = ["Comparison", "Verdict", "compare"]
