"""What guards cost, in words."""

from __future__ import annotations

from unjit.model import GuardCost, Maybe, Unknown
from unjit.render.forms.outline import count


def cost_text(cost: GuardCost) -> str:
    """The whole, the dearest parts, and what options of torch would save."""
    times = f"{_time(cost.check.seconds)} for a call that fits, {_time(cost.check.thorough)} when nothing is skipped"
    lines = [f"{count(cost.guards, 'guard')}: {times} because it did not change."]
    lines += ["The parts that take the longest, with nothing skipped:"] if cost.check.parts else []
    for part in cost.check.parts:
        lines.append(f"  {_time(part.seconds):>9}  {part.subject} ({_guards(part.guards)})")
    lines += ['What torch.compile(options={"guard_filter_fn": …}) could leave out:'] if cost.savings else []
    for saving in cost.savings:
        lines.append(f"  {_time(saving.seconds):>9}  {saving.option} ({count(saving.guards, 'guard')}): {saving.risk}")
    return "\n".join(lines)


def _guards(number: Maybe[int]) -> str:
    return f"guards: {number}" if isinstance(number, Unknown) else count(number, "guard")


def _time(seconds: float) -> str:
    return f"{seconds * 1e6:.1f} µs" if seconds < 1e-3 else f"{seconds * 1e3:.2f} ms"
