"""`unjit.doctor`: what is installed, which parts of unjit work with it, and a trial."""

from __future__ import annotations

import platform
import sys
from collections.abc import Sequence

import unjit
from unjit.diagnosis.features import features, hooks
from unjit.diagnosis.installed import parts
from unjit.diagnosis.trial import trials
from unjit.model import PYTHON_VERSION, Checkup, Host, Message, Term, Unknown
from unjit.torch_private.cache.backends import BACKENDS
from unjit.torch_private.probes.probe import torch_version


def doctor(*, backends: Sequence[str] = BACKENDS) -> Checkup:
    """Look at what is installed and try it.

    Imports torch if it is there. The toy example is compiled in a child process, once for each of `backends` (none: no
    trial); it takes some seconds. What this Python compiles of four modules of its library is decompiled, which takes a
    second or two. Writes no file of unjit's own and changes nothing. Raises nothing: what does not work is in the
    answer. `unjit doctor` prints it; `unjit.render.checkup.checkup_text` gives the text.
    """
    found = tuple(parts())
    torch = sys.modules.get("torch")
    missing = Unknown(Message("torch cannot be imported"))
    return Checkup(
        unjit_version=Term(unjit.__version__),
        python_version=PYTHON_VERSION,
        torch_version=missing if torch is None else Term(torch_version()),
        platform=Host(platform.platform()),
        parts=found,
        features=() if torch is None else tuple(features()),
        trials=() if torch is None else tuple(trials(backends)),
        hooks=() if torch is None else tuple(hooks()),
    )
