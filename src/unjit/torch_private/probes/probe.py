"""One private name of torch, and what to say when it is not there."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from types import CodeType
from typing import Any, Final, TypeVar

from unjit.errors import Unsupported
from unjit.model import Maybe, Message, Unknown
from unjit.model.words.wording import in_words

T = TypeVar("T")
_MISSING: Final = object()


@dataclass(frozen=True, slots=True)
class Probe:
    """A private name: `torch.module.name` (`torchgen` too), or `Class.attribute` of an object that torch hands out."""

    name: str
    purpose: str
    loss: str  # what cannot be said without it
    public: str | None = None  # the public name that could replace it, where there is one
    attribute: str = field(init=False)  # the last part of the name

    def __post_init__(self) -> None:
        object.__setattr__(self, "attribute", self.name.rpartition(".")[2])

    @property
    def is_attribute(self) -> bool:
        """Whether it is read from an object, not from a module."""
        return not self.name.startswith(("torch.", "torchgen."))

    def get(self) -> Any:
        """The module's value, or `Unknown`. Reads only what is imported already."""
        assert not self.is_attribute, self.name
        path = self.name.split(".")
        if "torch" not in sys.modules:
            return Unknown(Message("torch is not imported in this process"))
        start = next(i for i in range(len(path), 0, -1) if ".".join(path[:i]) in sys.modules)
        value: Any = sys.modules[".".join(path[:start])]
        for part in path[start:]:
            value = self._part(value, part)
            if isinstance(value, Unknown):
                return value
        return value

    def of(self, owner: Any) -> Any:
        """The attribute of `owner`, or `Unknown`."""
        try:  # in one step: reading guards asks thousands of times
            value: Any = getattr(owner, self.attribute, _MISSING)
            return self.missing() if value is _MISSING else value
        except Exception as error:  # of what torch computes or imports when it is asked for
            return self._raised(error)

    def call(self, *args: Any) -> Any:
        """What the module's function returns, or `Unknown` if there is none or it refuses these arguments."""
        return self._called(self.get(), args)

    def call_on(self, owner: Any, *args: Any) -> Any:
        """What the method of `owner` returns, or `Unknown` if there is none or it refuses these arguments."""
        try:  # in one step: reading guards asks thousands of times
            method: Any = getattr(owner, self.attribute, _MISSING)
            return self.missing() if method is _MISSING else method(*args)
        except Exception as error:
            return self._raised(error)

    def missing(self) -> Unknown:
        """What to say when the name is not there."""
        part = ".".join(self.name.split(".")[:2])
        if not self.is_attribute and part not in sys.modules and not _has(part):
            return Unknown(Message(f"{part} is not imported in this process"))
        return Unknown(Message(f"torch {torch_version()} has no {self.name}: {self.loss}"))

    def _part(self, owner: Any, name: str) -> Any:
        try:
            value = getattr(owner, name, _MISSING)
        except Exception as error:  # what torch computes or imports when it is asked for
            return self._raised(error)
        return self.missing() if value is _MISSING else value

    def _called(self, function: Any, args: tuple[Any, ...]) -> Any:
        if isinstance(function, Unknown):
            return function
        try:
            return function(*args)
        except Exception as error:
            return self._raised(error)

    def _raised(self, error: Exception) -> Unknown:
        return Unknown(Message(f"{self.name} raised {in_words(error)}"))


def needed(found: Maybe[T]) -> T:
    """What was found; Unsupported, with the reason, where that is `Unknown`."""
    if isinstance(found, Unknown):
        raise Unsupported(str(found.reason))
    return found


def there(*probes: Probe) -> Iterator[Probe]:
    """Those of several names for one thing, newest first, that are there."""
    return (probe for probe in probes if not isinstance(probe.get(), Unknown))


def import_compiler() -> Any:
    """torch, imported with the modules that hold the private names. Raises whatever the import raises."""
    importlib.import_module("torch._dynamo")
    return sys.modules["torch"]


def import_homes(probes: Iterable[Probe]) -> None:
    """Import the modules that names are looked up in, as far as this torch has them."""
    for probe in probes:
        parts = probe.name.split(".")
        for end in range(2, len(parts)) if parts[0] in sys.modules else ():
            home = ".".join(parts[:end])
            try:
                importlib.import_module(home)
            except Exception:  # a class or extension module, or a part of torch that cannot be imported here
                break


def is_part_of_torch(code: CodeType) -> bool:
    """Whether a function is written in torch's own files."""
    file = getattr(sys.modules.get("torch"), "__file__", None)
    return file is not None and code.co_filename.startswith(file.removesuffix("__init__.py"))


def _has(part: str) -> bool:
    """Whether `torch.part` is there, as a module or not."""
    try:
        return hasattr(sys.modules.get("torch"), part.partition(".")[2])
    except Exception:  # of what torch computes or imports when it is asked for
        return True


def torch_version() -> str:
    """The version of the torch that is imported, or `not imported`."""
    torch = sys.modules.get("torch")
    try:
        return str(getattr(torch, "__version__", "of unknown version")) if torch else "not imported"
    except Exception as error:  # it stands in sentences about what torch does not tell
        return f"of unknown version ({in_words(error)})"
