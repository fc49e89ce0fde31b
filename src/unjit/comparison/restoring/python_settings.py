"""What holds in a whole process of Python and a program may set: each with what reads it and what sets it."""

from __future__ import annotations

import logging
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any, Final

Setting = tuple[Callable[[], Any], Callable[[Any], object]]  # what reads it, what sets it
_OF_DECIMAL: Final = ("prec", "rounding", "Emin", "Emax", "capitals", "clamp", "flags", "traps")
_OF_LOGGER: Final = ("level", "propagate", "disabled")
_LISTS_OF_LOGGER: Final = ("handlers", "filters")


def python_settings() -> Iterator[Setting]:
    """Those of Python itself and its library."""
    yield sys.getrecursionlimit, sys.setrecursionlimit
    yield lambda: list(warnings.filters), _set_filters
    yield lambda: list(sys.path), lambda before: sys.path.__setitem__(slice(None), before)
    yield os.environ.copy, _set_environment
    yield _loggers, _set_loggers
    if "decimal" in sys.modules:
        yield _decimals, _set_decimals


def _set_filters(filters: list[Any]) -> None:
    """In place: others may hold the list. Python forgets nothing of where it has warned."""
    warnings.filters[:] = filters  # type: ignore[index]


def _set_environment(before: dict[str, str]) -> None:
    for name in os.environ.keys() - before.keys():
        del os.environ[name]
    os.environ.update({name: value for name, value in before.items() if os.environ.get(name) != value})


def _loggers() -> dict[str, dict[str, Any]]:
    """Without torch's own, which it readies when it first compiles."""
    named: dict[str, Any] = {"": logging.root, **logging.root.manager.loggerDict}
    return {
        name: {part: _part_of(logger, part) for part in (*_OF_LOGGER, *_LISTS_OF_LOGGER)}
        for name, logger in list(named.items())
        if isinstance(logger, logging.Logger) and name.partition(".")[0] != "torch"
    }


def _part_of(logger: logging.Logger, part: str) -> Any:
    held = getattr(logger, part)
    return list(held) if part in _LISTS_OF_LOGGER else held


def _set_loggers(before: dict[str, dict[str, Any]]) -> None:
    for name, held in before.items():
        logger = logging.getLogger(name) if name else logging.root
        logger.setLevel(held["level"])  # which has all loggers forget what they are enabled for
        logger.propagate, logger.disabled = held["propagate"], held["disabled"]
        for part in _LISTS_OF_LOGGER:
            getattr(logger, part)[:] = held[part]


def _decimals() -> dict[str, Any]:
    import decimal

    context = decimal.getcontext()
    return {part: _plain(getattr(context, part)) for part in _OF_DECIMAL}


def _plain(value: Any) -> Any:
    """Flags and traps are dicts that change with the context."""
    return value.copy() if hasattr(value, "copy") else value


def _set_decimals(before: dict[str, Any]) -> None:
    import decimal

    for part, value in before.items():
        setattr(decimal.getcontext(), part, value)
