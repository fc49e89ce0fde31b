"""How a guard function answers: what an exception means, and what it cannot say by itself."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from unjit.errors import BadCall, UnjitError, Unsupported
from unjit.model.words.wording import with_article

_Guards = TypeVar("_Guards", bound=Callable[..., bool])

NOT_LOCALS: Final = "guards are asked of the locals of a frame by name, as guards.frame(…) gives them, not of {}"
_NO_GLOBALS = "these guards read globals: set G, where their source is run, to the globals of the compiled function"


def guard_function(function: _Guards) -> _Guards:
    """What cannot be read does not hold, as in Dynamo: an exception in a condition is a no.

    It takes the frame's locals by name: BadCall for anything else, of which nothing would hold.
    """

    @functools.wraps(function)
    def answer(L: Mapping[str, Any]) -> bool:  # noqa: N803  (as Dynamo calls it)
        if not isinstance(L, Mapping):
            raise BadCall(NOT_LOCALS.format(with_article(type(L).__name__)))
        try:
            return function(L)
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
