"""Whether there is memory for copies. On the CPU a program that takes more than there is may be ended by the system.

On a GPU torch itself raises an error, which says nothing about the program: `NoRoom` then. Where the system does not
say what is free, nothing is refused, nor in a job of several ranks: the others would wait for the run that one has no
memory for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from unjit.errors import NoRoom
from unjit.model import headline
from unjit.model.words.wording import said
from unjit.torch_private.process_groups import are_several_ranks

_LARGE: Final = 2**20  # bytes: of less nobody asks whether there is memory
_CPU_HAS_NONE: Final = "DefaultCPUAllocator: can't allocate memory"  # torch's words, in an error of no class of its own
_LIMITS: Final = (  # of a container: the most, what is taken, and how much of that the system can take back
    ("memory.max", "memory.current", "inactive_file"),
    ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes", "total_inactive_file"),
)


def check_room(needed: int, what: str) -> None:
    """Raises NoRoom if `what` takes more bytes than are free."""
    free = None if needed < _LARGE or are_several_ranks() else free_memory()
    if free is not None and needed > free:
        raise NoRoom(f"{what} takes some {_size(needed)}, and {_size(free)} of memory are free")


def check_room_for_run(tensors: Sequence[Any], *, in_float64: bool) -> None:
    """The same of a run that takes these, or copies of them: once what they are, and twice the gradients that it makes.

    What it computes on its way is not known before.
    """
    import torch

    width = 8 if in_float64 else 0
    differentiated = [tensor for tensor in tensors if tensor.requires_grad] if torch.is_grad_enabled() else []
    needed = bytes_of(tensors, as_large_as=width) + 2 * bytes_of(differentiated, as_large_as=width)
    check_room(needed, "one more run on copies" + (" in float64" if in_float64 else ""))


def check_memory_lasted(error: BaseException) -> None:
    """Raises NoRoom if what a run raised, or what that came of, is that memory ran out, and does not say so itself."""
    for cause in _causes(error):
        if isinstance(cause, NoRoom):
            return
        if _is_of_memory(cause):
            raise NoRoom(f"one more run on copies found no memory: {headline(said(cause))}") from error


def _causes(error: BaseException) -> list[BaseException]:
    """The error, and those that it was raised from, each once: a program may have them lead back to each other."""
    found = [error]
    while (cause := found[-1].__cause__) is not None and all(cause is not one for one in found):
        found.append(cause)
    return found


def _is_of_memory(error: BaseException) -> bool:
    import torch

    return isinstance(error, MemoryError | torch.OutOfMemoryError) or _CPU_HAS_NONE in said(error)


def bytes_of(tensors: Iterable[Any], *, as_large_as: int = 0) -> int:
    """What copies of them take on the CPU, in bytes; of what has no usual layout nothing is counted.

    With `as_large_as`, floating-point values take that many bytes each.
    """
    return sum(
        tensor.numel() * ((tensor.is_floating_point() and as_large_as) or tensor.element_size())
        for tensor in tensors
        if tensor.device.type == "cpu" and str(tensor.layout) == "torch.strided" and not tensor.is_nested
    )


def free_memory() -> int | None:
    """How many bytes a program can still take before others, or it, must give some back; None if that is not known."""
    return min([*_of_machine(), *_of_containers()], default=None)


def _of_machine() -> Iterator[int]:
    available = _named_numbers(Path("/proc/meminfo")).get("MemAvailable:")
    if available is not None:
        yield available * 1024


def _of_containers() -> Iterator[int]:
    groups = Path("/sys/fs/cgroup")
    for most, taken, reclaimable in _LIMITS:
        try:
            limit, now = (int((groups / name).read_text()) for name in (most, taken))
        except (OSError, ValueError):  # there is no such file, or it says "max"
            continue
        spare = _named_numbers((groups / most).with_name("memory.stat")).get(reclaimable, 0)
        yield max(limit - now + spare, 0)


def _named_numbers(file: Path) -> dict[str, int]:
    """Of a file whose lines are a name and a number each; nothing of one that cannot be read."""
    try:
        lines = [line.split() for line in file.read_text().splitlines()]
    except (OSError, ValueError):
        return {}
    return {line[0]: int(line[1]) for line in lines if len(line) > 1 and line[1].isdigit()}


def _size(count: int) -> str:
    return f"{count / 2**30:.1f} GiB" if count >= 2**30 else f"{count / 2**20:.0f} MiB"
