"""What a run can change besides its inputs: modules, and the sources of random numbers. Kept, and put back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import FunctionType, MethodType
from typing import Any

from unjit.comparison.leaves import classes, is_array, leaves
from unjit.comparison.randomness import RandomState
from unjit.comparison.shared_memory import views


def modules_of(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
    """The modules that a call can reach: its own, of its closure, the globals that it names, and its arguments."""
    import torch

    found = [value for value in _reached(function) if isinstance(value, torch.nn.Module)]
    given = [*args, *kwargs.values()]
    found += [value for value in given if isinstance(value, torch.nn.Module)]
    return list({id(module): module for module in found}.values())


def optimizers_of(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
    """The optimizers that a call can reach in the same ways."""
    import torch

    found = [*_reached(function), *args, *kwargs.values()]
    return [value for value in found if isinstance(value, torch.optim.Optimizer)]


def _reached(function: Any) -> Iterator[Any]:
    yield function
    if isinstance(function, MethodType):
        yield function.__self__
        function = function.__func__
    function = getattr(function, "__wrapped__", function)
    if isinstance(function, FunctionType):
        yield from (cell.cell_contents for cell in function.__closure__ or () if _is_filled(cell))
        yield from (function.__globals__[name] for name in function.__code__.co_names if name in function.__globals__)


def _is_filled(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018 (an empty cell raises)
    except ValueError:
        return False
    return True


@dataclass(frozen=True)
class State:
    """The tensors of some modules, and the random state, at one moment."""

    tensors: list[tuple[str, Any, Any]]  # name, the live tensor, a copy of its values
    gradients: list[tuple[Any, Any]]  # parameter, its gradient
    random: RandomState

    @classmethod
    def of(cls, modules: list[Any]) -> State:
        """Now."""
        named = [
            (name, tensor)
            for number, module in enumerate(modules)
            for name, tensor in _tensors(module, "module" if len(modules) == 1 else f"module_{number}")
        ]
        return cls(
            [(name, tensor, tensor.detach().clone()) for name, tensor in named],
            [(tensor, tensor.grad) for _, tensor in named if tensor.is_leaf],
            RandomState.now(),
        )

    @property
    def named(self) -> list[tuple[str, Any]]:
        """The live tensors."""
        return [(name, tensor) for name, tensor, _ in self.tensors]

    def put_back(self) -> None:
        """As it was; gradients are taken off, so that a run begins without any."""
        for _, tensor, values in self.tensors:
            if tensor.dtype is not values.dtype:
                tensor.data = values.clone()
            else:
                overwrite(tensor, values)
        for tensor, _ in self.gradients:
            tensor.grad = None
        self.random.put_back()

    def put_back_all(self) -> None:
        """As it was, gradients too."""
        self.put_back()
        for tensor, gradient in self.gradients:
            tensor.grad = gradient


def overwrite(tensor: Any, values: Any) -> None:
    """Write values into a tensor without autograd's notice: a backward that the program has yet to run may need it."""
    import torch

    with torch.inference_mode() if tensor.is_inference() else torch.no_grad():
        tensor.data.copy_(values)


def _tensors(module: Any, name: str) -> Iterator[tuple[str, Any]]:
    yield from ((f"{name}.{path}", tensor) for path, tensor in module.named_parameters())
    yield from ((f"{name}.{path}", tensor) for path, tensor in module.named_buffers())


@dataclass(frozen=True)
class Outcome:
    """All that a run gave and changed, as named leaves; or what it raised."""

    values: list[tuple[str, Any]]
    random: RandomState  # where it left the generators
    error: BaseException | None = None
    classes: Mapping[str, str] = field(default_factory=dict)  # of what the program gives back; of graphs, nothing
    views: Mapping[str, str] = field(default_factory=dict)  # and which of that shares memory with what it was given


def ran(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], held: Sequence[tuple[str, Any]] = ()) -> Outcome:
    """Call, go backward where there are gradients, and note everything that can be seen afterwards.

    `held` are tensors that the function may change besides its arguments.
    """
    try:
        result = function(*args, **kwargs)
        outputs = list(leaves(result, "result"))
        inputs = [*leaves(list(args), "args"), *leaves(kwargs, "kwargs")]
        shared = views(outputs, [*inputs, *held])
        kinds = dict(classes(result, "result"))
        backward([leaf for _, leaf in outputs])
    except Exception as error:
        return Outcome([], RandomState.now(), error)
    seen = [*outputs, *((f"{name} after the call", leaf) for name, leaf in inputs)]
    seen += [(f"{name} after the call", tensor) for name, tensor in held]
    seen += [(f"gradient of {name}", leaf.grad) for name, leaf in [*inputs, *held] if _has_gradient(leaf)]
    return Outcome([(name, _kept(leaf)) for name, leaf in seen], RandomState.now(), classes=kinds, views=shared)


def backward(outputs: list[Any]) -> None:
    """Backward from every output that has a gradient, with the same weights in every run."""
    import torch

    found = [leaf for leaf in outputs if isinstance(leaf, torch.Tensor) and leaf.requires_grad]
    roots = [root for leaf in found for root in (leaf.unbind() if leaf.is_nested else [leaf])]
    if roots:
        weights = [torch.linspace(0.5, 1.5, root.numel()).view(root.shape).to(root) for root in roots]
        torch.autograd.backward(roots, weights)


def _has_gradient(leaf: Any) -> bool:
    return getattr(leaf, "is_leaf", False) and getattr(leaf, "grad", None) is not None


def _kept(leaf: Any) -> Any:
    """The value as it is now: later runs may change the tensor or array."""
    if is_array(leaf):
        return leaf.copy()
    return leaf.detach().clone() if hasattr(leaf, "detach") else leaf
