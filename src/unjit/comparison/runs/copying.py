"""Copies of inputs, one for each run."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from types import FunctionType, MappingProxyType
from typing import Any, Final

from unjit.comparison.values.leaves import tensors
from unjit.comparison.values.shared_memory import memory_of
from unjit.comparison.values.without_values import cloned, end_in_memory
from unjit.errors import UnjitError

_COMPRESSED = ("torch.sparse_csr", "torch.sparse_csc", "torch.sparse_bsr", "torch.sparse_bsc")
_NOTHING: Final[Mapping[int, Any]] = MappingProxyType({})


def copied(value: Any, instead: Mapping[int, Any] = _NOTHING, *, dtype: Any = None) -> Any:
    """A deep copy, in which tensors that share memory share it again; `instead` has what is not copied, by its id.

    Tensors keep their gradients. With `dtype`, floating-point ones become of that type. Raises what copying a user's
    object raises, and UnjitError where memory that is shared in several types would have to become of that type.
    """
    memo: dict[int, Any] = {**instead}
    given = [tensor for _, tensor in tensors(value, "")]
    gradients = [(tensor, tensor.grad) for tensor in given if tensor.is_leaf and tensor.grad is not None]
    wide = {} if dtype is None else _sharing_in(dtype, [tensor for tensor in given if id(tensor) not in instead])
    for tensor in (*given, *(gradient for _, gradient in gradients)):
        memo.update((id(found), found) for found in _lengths(tensor))
        if id(tensor) in instead:
            continue
        if dtype is not None and tensor.is_floating_point():
            made = wide.get(id(tensor))
            made = tensor.detach().to(dtype, copy=True) if made is None else made
            memo[id(tensor)] = made.requires_grad_(tensor.requires_grad)
        elif not tensor.is_leaf or str(tensor.layout) in _COMPRESSED:
            # torch copies leaves only, and of the strided layout; what made this one is none of the function's business
            memo[id(tensor)] = cloned(tensor).requires_grad_(tensor.requires_grad)
        elif _torch_refuses(tensor):
            memo[id(tensor)] = _cloned_in_its_class(tensor)
    twins = copy.deepcopy(value, memo)
    for tensor, gradient in gradients:
        twin = memo.get(id(tensor))  # none where a class of the program's copies its objects in its own way
        # torch copies the gradient of a tensor, and of a Parameter not
        if twin is not None and id(tensor) not in instead and twin.grad is None:
            twin.grad = copy.deepcopy(gradient, memo)
    return twins


def _sharing_in(dtype: Any, given: list[Any]) -> dict[int, Any]:
    """By id, those that share memory with another, in that type and sharing memory as they do.

    A change of one is then one of the other, as in the program. Sparse tensors and the like are left out.
    """
    owners: dict[int | None, list[Any]] = {}
    for tensor in {id(tensor): tensor for tensor in given}.values():
        owners.setdefault(memory_of(tensor), []).append(tensor)
    sharing = [those for memory, those in owners.items() if memory is not None and len(those) > 1]
    found: dict[int, Any] = {}
    for those in sharing:
        first = those[0].detach()
        if len({tensor.dtype for tensor in those}) > 1:
            raise UnjitError("some inputs share memory in several types")
        if not first.is_floating_point():
            continue
        begin, end = min(tensor.storage_offset() for tensor in those), max(map(end_in_memory, those))
        whole = first.as_strided((end - begin,), (1,), begin).to(dtype, copy=True)
        for tensor in those:
            found[id(tensor)] = whole.as_strided(tensor.size(), tensor.stride(), tensor.storage_offset() - begin)
    return found


def cleans_up(value: Any) -> bool:
    """Whether its class does something when an object goes, such as closing a file.

    A copy that goes would close, or delete, what the program still uses. What is written in C either cannot be copied,
    as a generator, or takes care of itself.
    """
    return isinstance(getattr(type(value), "__del__", None), FunctionType)


def _torch_refuses(tensor: Any) -> bool:
    """Whether torch copies no such tensor, as of a class of the program's own that says nothing of copies.

    What has `__torch_dispatch__` may hold its values elsewhere, and has to be copied by its own means.
    """
    kind = type(tensor)
    if {"__deepcopy__", "__torch_dispatch__"} & _defined(kind) or kind.__module__.partition(".")[0] == "torch":
        return False
    try:
        copy.deepcopy(tensor)
    except RuntimeError:
        return True
    return False


def _defined(kind: type) -> set[str]:
    """What a class and those above it define, up to what torch has."""
    above = (one for one in kind.__mro__ if one.__module__.partition(".")[0] not in ("torch", "builtins"))
    return {name for one in above for name in vars(one)}


def _cloned_in_its_class(tensor: Any) -> Any:
    """A tensor of the same class, whatever operations give, with the same attributes."""
    made = cloned(tensor).as_subclass(type(tensor)).requires_grad_(tensor.requires_grad)
    vars(made).update(copy.deepcopy(vars(tensor)))
    return made


def _lengths(tensor: Any) -> list[Any]:
    """What says how long the parts of a jagged tensor are.

    By its identity torch knows which tensors go together; a copy of it would part those that did, and their shapes.
    """
    if str(tensor.layout) != "torch.jagged":
        return []
    return [found for found in (tensor.offsets(), tensor.lengths()) if found is not None]
