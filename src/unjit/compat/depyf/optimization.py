"""depyf's base class for choosing a cache entry without guards."""

from __future__ import annotations

import abc
import contextlib
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any

from unjit.compat.depyf.explain.enable_debugging import hook_bytecode
from unjit.errors import UnjitError
from unjit.torch_private.following.being_compiled import locals_being_compiled


class TorchCompileWrapperWithCustomDispatcher(abc.ABC):
    """Runs one of the pieces of code that Dynamo made of `forward`, as a subclass chooses.

    `compiled_codes` has them in the order in which they were made; `dispatch_to_code` runs the method with one of them.
    Raises UnjitError if torch tells nobody of the code that it makes.
    """

    def __init__(self, compiled_callable: Callable[..., Any], use_custom_dispatcher: bool = True) -> None:
        self.compiled_callable = compiled_callable
        self.original_code_object: CodeType = self.__class__.forward.__code__
        self.compiled_codes: list[CodeType] = []
        self.use_custom_dispatcher = use_custom_dispatcher
        self._lost: str | None = None  # why code of this object's may be missing
        hook_bytecode(self.bytecode_hook)

    @abc.abstractmethod
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Choose: call `self.compiled_callable`, or `self.forward` within `self.dispatch_to_code(index)`."""

    @abc.abstractmethod
    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The function that is compiled."""

    def bytecode_hook(self, old_code: CodeType, new_code: CodeType) -> None:
        """Keep what Dynamo makes of `forward`, when it is this object's: others of the class share its code."""
        if old_code is not self.original_code_object:
            return
        local = locals_being_compiled()
        if local is None:
            self._lose()
        elif local.get(old_code.co_varnames[0]) is self:  # the first argument has any name
            self.compiled_codes.append(new_code)

    def _lose(self) -> None:
        """Say that a piece of code is not kept: it may be one of another object's, whose code is the same."""
        self._lost = (
            f"code made of {self.original_code_object.co_name} was not kept: the call that it is for was not found"
        )
        # Where warnings are errors, the program's compile is not to fail by it.
        with contextlib.suppress(RuntimeWarning):
            warnings.warn(self._lost, RuntimeWarning, stacklevel=2)

    @contextmanager
    def dispatch_to_code(self, index: int) -> Iterator[None]:
        """`forward` is the code with this index within the block."""
        if self._lost is not None and index >= len(self.compiled_codes):
            raise UnjitError(f"there is no code {index}: {self._lost}")
        forward: Any = self.__class__.forward
        forward.__code__ = self.compiled_codes[index]
        try:
            yield
        finally:
            forward.__code__ = self.original_code_object
