"""Why a tensor has other dispatch keys than a guard asks for: what it is, or where it is used."""

from __future__ import annotations

from collections.abc import Callable

from unjit.guards.evaluate import Finding

DISPATCH_KEYS = "dispatch keys "  # before both sides of a guard on a tensor of which nothing else differs
_INFERENCE = (
    "Call it, and make its tensors, under torch.inference_mode() in all calls or in none: what is made or used there "
    "is of another kind."
)


def by_autocast(finding: Finding) -> bool:
    """Whether the keys differ because autocast is on for one side only."""
    found = _on_one_side(finding)
    return bool(found) and all(name.startswith("Autocast") for name in found)


def by_caller(finding: Finding) -> bool:
    """Whether the keys differ by what tensors have of the caller alone: autocast, and functorch's transforms."""
    found = _on_one_side(finding)
    return bool(found) and all(name.startswith(("Autocast", "FuncTorchDynamicLayer")) for name in found)


def by_inference_mode(finding: Finding) -> bool:
    """Whether one side is made or used under torch.inference_mode(), which alone leaves out the keys of autograd."""
    found = _on_one_side(finding)
    return bool(found) and all(map(_is_of_inference, found))


def may_be_by_inference_mode(finding: Finding) -> bool:
    """Whether keys differ that inference mode decides on, and maybe others."""
    return any(map(_is_of_inference, _on_one_side(finding)))


def _is_of_inference(name: str) -> bool:
    return name == "ADInplaceOrView" or name.startswith("Autograd")


def advice_on_keys(finding: Finding, subject: str) -> str:
    """What to do about other dispatch keys."""
    names = _on_one_side(finding)
    told = (say(subject) for is_so, say in _BY_NAME if any(map(is_so, names)))
    return next(told, f"Make {subject} in the same way in all calls, or accept one entry for each kind of it.")


def _on_one_side(finding: Finding) -> frozenset[str]:
    """The names that only one side has."""
    sides = finding.expected, finding.actual
    if not all(side.startswith(DISPATCH_KEYS) for side in sides):
        return frozenset()
    one, other = (frozenset(side.removeprefix(DISPATCH_KEYS).split(", ")) for side in sides)
    return one ^ other


_BY_NAME: tuple[tuple[Callable[[str], bool], Callable[[str], str]], ...] = (
    (
        lambda name: name.startswith("FuncTorch"),
        lambda _subject: (
            "Call it within the same functorch transforms (vmap, grad, jvp) in all calls, or accept one entry for each."
        ),
    ),
    (
        lambda name: name == "Conjugate",
        lambda subject: (
            f"{subject} is conjugated in some calls, as a view: pass {subject}.resolve_conj(), or accept "
            "one more entry."
        ),
    ),
    (
        lambda name: name == "Negative",
        lambda subject: (
            f"{subject} is negated in some calls, as a view: pass {subject}.resolve_neg(), or accept one more entry."
        ),
    ),
    (_is_of_inference, lambda _subject: _INFERENCE),
    (
        lambda name: name.startswith("Autocast"),
        lambda _subject: "Call it with autocast on in all calls, or in none.",
    ),
)
