"""How a guard function answers: what an exception means, and what it cannot say by itself."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from unjit.errors import UnjitError, Unsupported

_Guards = TypeVar("_Guards", bound=Callable[..., bool])

_NO_GLOBALS = "these guards read globals: set G, where their source is run, to the globals of the compiled function"


def guard_function(function: _Guards) -> _Guards:
    """What cannot be read does not hold, as in Dynamo: an exception in a condition is a no."""

    @functools.wraps(function)
    def answer(*args: Any, **kwargs: Any) -> bool:
        try:
            return function(*args, **kwargs)
        except UnjitError:  # ours: this torch lacks what a condition needs, or the entry is gone
            raise
        except NameError as error:
            if error.name == "G":
                raise Unsupported(_NO_GLOBALS) from None
            return False
        except Exception:
            return False

    return answer  # type: ignore[return-value]  # it has the signature of what it wraps


def ask_torch(number: int, text: str, value: object) -> bool:  # noqa: ARG001  (predicates have their own)
    """Torch's own answer to a condition that it tells in no form that is known.

    `entry.guards.predicate` has it; text that is run by itself cannot: Unsupported.
    """
    raise Unsupported(f"only torch's own guard can answer this: {text}")


def unreadable(text: str) -> None:
    """A condition that cannot be asked at all. Unsupported, since everything that can be read holds."""
    raise Unsupported(f"all that can be read holds, but this cannot be read: {text}")
