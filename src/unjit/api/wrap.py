"""`unjit.wrap`: a compiled function that says what it is."""

from __future__ import annotations

from collections.abc import Callable
from types import MethodType
from typing import Any

from unjit.errors import BadTarget, UnjitError
from unjit.model.words.wording import in_words, with_article
from unjit.observe.live.one_line import brief
from unjit.observe.targets.resolving import resolve
from unjit.torch_private.cache.targets import HOLDS, is_compiled


def wrap(target: Any = None, **compile_options: Any) -> Any:
    """A callable that passes calls and attributes on to the compiled target, and whose repr says what was compiled.

    `target` is a function or module to compile with these options of `torch.compile`, or what torch.compile or this
    function returned. Without a target it is a decorator.

    What it returns is no nn.Module, even if `target` is one. As an attribute of another module it is not one of that
    module's parts, so the parameters of the other lack those of `target`: wrap the whole, or use torch.compile there.

    Raises BadTarget if the target has no Python code, and UnjitError if options are given for what is compiled already.
    """
    if target is None:
        return lambda function: wrap(function, **compile_options)
    resolve(target)
    if not callable(target):
        raise BadTarget(f"{with_article(type(target).__name__)} object is not what runs; pass the function")
    if not is_compiled(target):
        import torch

        return Wrapped(torch.compile(target, **compile_options))
    if compile_options:
        raise UnjitError(f"it is compiled already, so {', '.join(compile_options)} would have no effect")
    return target if isinstance(target, Wrapped) else Wrapped(target)


class Wrapped:
    """Looks and acts like the compiled callable that it holds; its repr says what was compiled."""

    def __init__(self, compiled: Callable[..., Any]) -> None:
        self.__dict__.update({HOLDS: compiled, "__wrapped__": compiled})
        for name in ("__doc__", "__module__"):  # the class has its own, which would be found first
            self.__dict__[name] = getattr(compiled, name, None)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the compiled function."""
        return self._unjit_compiled(*args, **kwargs)

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        """As a method of a class, bind as a function does."""
        return self if instance is None else MethodType(self, instance)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_unjit_compiled"], name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._unjit_compiled, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self._unjit_compiled, name)

    def __len__(self) -> int:
        return len(self._unjit_compiled)

    def __bool__(self) -> bool:
        """As true as what it holds; true for a module without a length, which torch asks for one all the same."""
        try:
            return bool(self._unjit_compiled)
        except TypeError:
            return True

    def __reduce__(self) -> tuple[Any, ...]:
        """Copied and pickled as what it holds: the copy of a model has weights of its own."""
        return Wrapped, (self._unjit_compiled,)

    def __dir__(self) -> list[str]:
        return sorted({*dir(self._unjit_compiled), "__wrapped__"})

    def __repr__(self) -> str:
        try:
            return f"<{brief(resolve(self))}>"
        except Exception as error:  # a repr that raises would be in the user's way
            return f"<compiled {_name(self._unjit_compiled)} (not read: {in_words(error)})>"


def _name(compiled: Callable[..., Any]) -> str:
    """The name of a function; the class of an object that has no name, or raises when it is asked."""
    try:
        return str(compiled.__name__)
    except Exception:  # as an attribute of the program's own may
        return type(compiled).__name__
