"""The only package that touches names which torch keeps private.

Each name is a `Probe` in `probes/`: what it is for, what is lost without it, and the public name that would replace
it. A name that this torch lacks gives `Unknown` and never an exception. Importing this package imports no torch, and
reading never imports a part of torch that the program has not imported itself.
"""

from __future__ import annotations
