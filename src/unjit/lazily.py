"""Names of a package that are loaded from its modules when first used: whoever needs one waits for no other."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping


def loading(package: str, names: Mapping[str, str]) -> Callable[[str], object]:
    """The `__getattr__` of a package (PEP 562): `names` has, for each of its modules, names in it with spaces between.

    No module right in the package may have one of these names, which it would hide. A name that is not among them
    raises AttributeError.
    """
    homes = {name: f"{package}.{module}" for module, found in names.items() for name in found.split()}

    def load(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return load
