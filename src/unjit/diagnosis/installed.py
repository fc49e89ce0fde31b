"""What is installed: Python, torch, a C++ compiler, and what the environment switches off."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from unjit.bytecode import versions
from unjit.diagnosis.decompiling import MODULES, proved_and_all
from unjit.model import Finding, Message, Term
from unjit.model.words.wording import in_words
from unjit.torch_private.probes.probe import import_compiler

SWITCHES = {
    "TORCHDYNAMO_DISABLE": "Dynamo compiles nothing, so there is nothing to show",
    "TORCH_COMPILE_DISABLE": "torch.compile does nothing, so there is nothing to show",
    "PYTHONNOUSERSITE": "packages of the user's own site directory are not found, unjit among them if it is there",
}
_OFF = ("", "0")


def parts() -> Iterator[Finding]:
    """Each part that unjit stands on, torch imported."""
    yield python()
    yield torch()
    yield compiler()
    yield from switches()


def python() -> Finding:
    """Whether the decompiler reads this Python's bytecode."""
    name = Term(f"CPython {'.'.join(map(str, sys.version_info[:3]))}")
    if versions.PYTHON in versions.SUPPORTED:
        return decompiling(name)
    return Finding(
        name,
        "missing",
        Message("its bytecode cannot be decompiled; code is shown as disassembly"),
        Message(f"for decompiled source use one of Python {', '.join(f'{a}.{b}' for a, b in versions.SUPPORTED)}"),
    )


def decompiling(name: Term) -> Finding:
    """What came back of modules that this Python compiled."""
    where = f"{', '.join(MODULES[:-1])} and {MODULES[-1]}"
    try:
        proved, everything = proved_and_all()
    except Exception as error:  # whatever is wrong with the standard library's files, or with us, is to be told
        return Finding(name, "partly", Message(f"{where} could not be decompiled: {in_words(error)}"), None)
    if not everything:
        return Finding(name, "works", Message("its bytecode can be decompiled; no source is here to try it with"), None)
    if proved == everything:
        says = f"its bytecode can be decompiled: all of {where} ({everything} functions, classes and modules)"
        return Finding(name, "works", Message(says), None)
    lost = f"{everything - proved} of {everything} functions, classes and modules of {where}"
    return Finding(
        name,
        "partly",
        Message(f"{lost} come back as disassembly: this release compiles them to bytecode that unjit does not know"),
        Message(f"report it, with the version {name}; what is not proved is shown as disassembly, and says so"),
    )


def torch() -> Finding:
    """Whether torch can be imported."""
    try:
        found = import_compiler()
    except Exception as error:  # importing a package may raise anything: that is what is to be found out
        says = Message(f"cannot be imported: {in_words(error)}")
        return Finding(
            Term("torch"), "missing", says, Message("pip install torch; without it the decompiler alone works")
        )
    where = "with a GPU" if found.cuda.is_available() else "on the CPU"
    return Finding(Term(f"torch {found.__version__}"), "works", Message(f"imports, and runs {where}"), None)


def compiler() -> Finding:
    """Whether Inductor can compile C++ for the CPU."""
    name = Term("C++ compiler")
    found = shutil.which(os.environ.get("CXX") or "g++") or shutil.which("clang++")
    headers = Path(sysconfig.get_path("include"), "Python.h").exists()
    if found and headers:
        return Finding(name, "works", Message(f"{Path(found).name} and the Python headers are there"), None)
    lacks = " and ".join([*([] if found else ["no C++ compiler"]), *([] if headers else ["no Python headers"])])
    return Finding(
        name,
        "missing",
        Message(f"{lacks}: the backend inductor cannot compile for the CPU; eager and aot_eager can"),
        Message("install g++ and the Python headers (on Debian: g++ and python3-dev)"),
    )


def switches() -> Iterator[Finding]:
    """Environment variables that are set and take something away."""
    for name, effect in SWITCHES.items():
        if os.environ.get(name, "") not in _OFF:
            yield Finding(Term(name), "partly", Message(f"is set: {effect}"), Message(f"unset {name}"))
