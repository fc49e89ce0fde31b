"""Results that have computed nothing yet: coroutines and generators, of which two are alike whatever they would do."""

from __future__ import annotations

from types import AsyncGeneratorType, CoroutineType, GeneratorType
from typing import Any, Final

from unjit.errors import UnjitError

_AWAITED: Final = (
    "what the function gave is a coroutine, which computes nothing before it is awaited: compare what it calls, or a "
    "function that runs it, as by asyncio.run"
)
_ASKED: Final = (
    "what the function gave is a generator, which computes nothing before it is asked for items: compare what it "
    "calls, or a function that gives a list of its items"
)


def check_finished(result: Any) -> None:
    """Raises UnjitError of such a result. Closes a coroutine: Python would warn of one that nobody awaited."""
    if isinstance(result, CoroutineType):
        result.close()
        raise UnjitError(_AWAITED)
    if isinstance(result, (GeneratorType, AsyncGeneratorType)):
        raise UnjitError(_ASKED)
