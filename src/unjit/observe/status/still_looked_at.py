"""Whether Dynamo still looks at a function: what torch answers now, and at which compile that began."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from types import CodeType

from unjit.model import Maybe, Message, Unknown
from unjit.observe.status.giving_up import gives_up, why_given_up
from unjit.observe.status.history import EntryFacts, History
from unjit.torch_private.cache import settings
from unjit.torch_private.cache.entries import RawEntry
from unjit.torch_private.cache.history import RawCompile, was_seen
from unjit.torch_private.cache.treatment import Treatment, treatment_of

SUCH_CALLS = "such are calls under a TorchDispatchMode, and calls in which it finds no tensors"
_HOOKS_ALONE = "of torch's own modules it compiles the forward by itself only where the module has hooks"
_NOT_SEEN = Unknown(Message("Dynamo has not looked at it"))


@dataclass(frozen=True, slots=True)
class Attention:
    """What Dynamo does with calls of a function, and since when, as far as torch tells."""

    now: Maybe[Treatment]
    compile: RawCompile | None = None  # at which Dynamo gave it up, or may have
    rule: Message | None = None  # by which Dynamo begins a compile at it only for a module with hooks

    @property
    def is_given_up(self) -> Maybe[bool]:
        """Whether calls run the original, and ask no entry, until a reset."""
        if not isinstance(self.now, Unknown):
            return self.now == "runs the original"
        return False if self.compile is None else gives_up(self.compile)

    @property
    def given_up_at(self) -> RawCompile | None:
        """The compile at which Dynamo gave it up, where that is known."""
        return self.compile if self.is_given_up is True else None

    @property
    def is_limited(self) -> bool:
        """Whether entries alone run, as the recompile limit was reached, and nothing more is compiled until a reset."""
        return self.now == "runs its entries alone"

    @property
    def why(self) -> str:
        """`Dynamo gave it up (compile 0/1, Unsupported: …)`; or how that comes about where torch does not remember."""
        if self.compile is not None:
            return f"Dynamo gave it up ({why_given_up(self.compile)})"
        if self.rule is not None:
            return f"Dynamo left a call of it alone, and every call since: {_HOOKS_ALONE} ({self.rule})"
        return f"Dynamo left a call of it alone, and every call since; torch does not remember why ({SUCH_CALLS})"


def attention_to(code: CodeType, entries: Iterable[RawEntry], history: History, region: int | None = None) -> Attention:
    """What Dynamo does with calls of `code`. Of a function that it has never looked at, torch is not asked.

    `region` is that of the entries that a call may use; None, as in unjit.explain, for the one that all share.
    """
    opened = list(entries)
    codes = [raw.code for raw in opened if isinstance(raw.code, CodeType)]
    now = _NOT_SEEN if was_seen(code) is False else treatment_of(code, codes, region)
    past = history.given_up(code, [EntryFacts(raw) for raw in opened])
    if not isinstance(now, Unknown) and now != "runs the original":
        return Attention(now)
    return Attention(now, past, settings.skip_rule(code) if codes and code.co_name == "forward" else None)
