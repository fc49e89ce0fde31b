"""How Dynamo is set: what it leaves alone, how many entries it makes, and what it raises at."""

from __future__ import annotations

from types import CodeType
from typing import Final

from unjit.model import Maybe, Message, Unknown
from unjit.torch_private.probes import history_probes as probes
from unjit.torch_private.probes.probe import Probe, there

_LIMIT: Final = (probes.RECOMPILE_LIMIT, probes.OLD_RECOMPILE_LIMIT)
_ACCUMULATED_LIMIT: Final = (probes.ACCUMULATED_LIMIT, probes.OLD_ACCUMULATED_LIMIT)


def skip_rule(code: CodeType) -> Message | None:
    """The rule by which Dynamo never compiles `code`; None if there is none."""
    answer = probes.SKIP_RULE.call(code)
    if isinstance(answer, Unknown) or not getattr(answer, "skipped", False):
        return None
    return Message(str(getattr(answer, "reason", None) or "a rule of Dynamo's"))


def is_followed(code: CodeType) -> bool:
    """Whether Dynamo is known to follow calls of `code` into it, though it never begins a compile at it."""
    return getattr(probes.SKIP_RULE.call(code, True), "skipped", True) is False


def is_under_dispatch_mode() -> bool:
    """Whether a TorchDispatchMode is on, under which Dynamo compiles nothing."""
    newest = probes.DISPATCH_MODE.call()
    return (probes.OLD_DISPATCH_MODE.call(False) if isinstance(newest, Unknown) else newest) is True


def recompile_limit() -> Maybe[int]:
    """How many entries Dynamo makes for one function before it gives up."""
    limit: Maybe[int] = _by_its_name(*_LIMIT).get()
    return limit


def recompile_limit_name() -> str:
    """The setting that raises it, as this torch calls it."""
    return _by_its_name(*_LIMIT).name


def accumulated_limit() -> Maybe[int]:
    """How many entries Dynamo makes for one function, counting those for all modules, before it gives up."""
    limit: Maybe[int] = _by_its_name(*_ACCUMULATED_LIMIT).get()
    return limit


def raises_at_limit() -> bool:
    """Whether torch is told to raise where it would exceed the limit of entries."""
    return probes.ERROR_AT_LIMIT.get() is True


def raises_on_recompile() -> bool:
    """Whether torch is told to raise where it would compile again."""
    return probes.ERROR_ON_RECOMPILE.get() is True


def raises_without_compiled_code() -> bool:
    """Whether torch raises where a call with fullgraph=True has run nothing that was compiled."""
    return not isinstance(probes.FULLGRAPH_COUNT.get(), Unknown)


def _by_its_name(newest: Probe, oldest: Probe) -> Probe:
    """The probe of a setting under the name that this torch has for it."""
    return next(there(newest, oldest), oldest)
