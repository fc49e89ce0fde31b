"""Whether two code objects do the same.

The verifier sees only the two code objects and shares nothing with the decompiler but `unjit.bytecode`. It answers
IDENTICAL, EQUIVALENT (proved) or DIFFERENT (could not be proved). What counts as the same:

* In order, everything that code outside the frame can see: operations on objects, on namespaces and cells, calls,
  imports, iteration, what is yielded, returned and raised; with each, the locals of the original, bound or not, and
  the exception being handled.
* Not seen are locals that only the candidate has and the order of all (unless the program asks for `locals()` and the
  like), lines, the name, docstring and qualified name of the code itself, the time at which an object is freed, where
  a signal or another thread cuts in, and running out of memory. What a compiler notes at each `yield` of the
  statements around it is taken to be so: code that is edited there passes for code that is not.
* Nobody else writes to the locals: neither a debugger nor, from 3.13 on, a callee through `f_locals`.
* Code may do what no compiler has it do, but it does not break the interpreter: what is loaded without a check is
  bound, what is borrowed outlives its use, no operation but a call gets a NULL, and code begins with RESUME.
* An immutable constant is the same as one that is equal and of the same type, whether loaded or built; in which order
  a set is walked, the language leaves open. Any other constant is the same only as itself. Qualified names count by
  their last part: the rest says where code stands.
* A list, tuple, slice, or dict whose keys are constants (texts, integers, fractions, None, tuples of these) that the
  frame makes is not seen before something else gets hold of it: an operation on an object, a call, what is yielded,
  returned or raised, or a local of the original at any of these. What the frame does to it until then is not seen;
  there, its contents and which places hold this very object count. Arguments gathered only for a call are the same as
  arguments given one by one.
* Whether a value that stays on the stack is tested for its truth once or twice in a row, as in `a and b or c`, does
  not count: the compiler makes it depend on how the text is broken into lines.

Begin with `compare`. It tries `short_cuts`, which answer for most code, then the `walk` of both programs side by side
from event to event. The programs are steps of an abstract `machine`; `operations` has the steps of each instruction,
a table for each version of Python.
"""

from __future__ import annotations

from unjit.verifier.compare import Comparer, Comparison, Verdict, compare

__all__ = ["Comparer", "Comparison", "Verdict", "compare"]
