"""What decompiling answers: source, and how far it is to be believed."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import CodeType

from unjit.decompiler.errors import CannotExpress


class Verdict(enum.Enum):
    """How the source relates to the bytecode it was made from."""

    IDENTICAL = "identical"  # compiling the source gives the same bytecode
    EQUIVALENT = "equivalent"  # a verifier that sees only the two code objects proved that they do the same
    OPAQUE = "opaque"  # not recovered: the disassembly, as comments, around the embedded code

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True)
class Synthetic:
    """How much of the source no person would have written: the fewer the better."""

    helpers: int = 0  # calls that stand for an instruction which plain Python cannot express
    temporaries: int = 0  # variables for values that the bytecode keeps on its stack
    selectors: int = 0  # integer variables that steer control flow

    @property
    def total(self) -> int:
        return self.helpers + self.temporaries + self.selectors


@dataclass(frozen=True, repr=False)
class Decompiled:
    """Readable source of one code object, with the verdict that the verifier gave.

    `str()` and `.source` are always valid Python. `reason` says why the verdict is no better than it is, or is None.
    """

    code: CodeType
    source: str
    verdict: Verdict
    reason: str | None = None
    synthetic: Synthetic = Synthetic()
    unrecovered: tuple[tuple[CodeType, str], ...] = ()  # nested code that source only has a sentence for, and why
    constants: Mapping[str, object] = field(default_factory=dict)  # objects that no literal writes, by name in `source`
    _recompiled: CodeType | None = None
    _lines: Mapping[int, int] = field(default_factory=dict)
    _stacks: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    _compile: Callable[[str, Mapping[str, object]], CodeType] | None = None

    def __str__(self) -> str:
        return self.source

    def __repr__(self) -> str:
        lines = self.source.count("\n") + 1
        return f"<Decompiled {self.code.co_name}: {self.verdict}, {lines} lines>"

    @property
    def is_opaque_itself(self) -> bool:
        """Whether not even what is around the nested functions was recovered."""
        return self._recompiled is None

    def recompile(self) -> CodeType:
        """A code object made from the source that can stand in for the original in its frame.

        Same arguments, free and cell variables in the same order, same flags. For an opaque answer it is the
        original itself.
        """
        return self.code if self._recompiled is None else self._recompiled

    def compile_edited(self, source: str, values: Mapping[str, object] | None = None) -> CodeType:
        """A code object made from an edited form of `source`, in the context that the original was compiled in.

        Names in `values` mean these objects, which become constants of the code. Whether the code still has the
        original's frame is for the caller to ask. Raises CannotExpress for source that does not compile, or where
        there is none to edit.
        """
        if self._compile is None:
            raise CannotExpress(f"its source was not recovered ({self.reason}), so there is none to edit")
        return self._compile(source, values or {})

    def line_of(self, offset: int) -> int | None:
        """The 1-based line of `source` on which the instruction at `offset` lies; None where it has none."""
        return self._lines.get(offset)

    def stack_at(self, offset: int) -> tuple[str, ...]:
        """The source expression of each value on the stack before the instruction at `offset`, bottom first.

        The first call makes the source once more, without proof, to see what lies there.
        Raises KeyError when no instruction that can be reached starts there.
        """
        return self._stacks[offset]
