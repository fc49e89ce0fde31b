"""What a run can change besides its inputs: modules, and the sources of random numbers. Kept, and put back."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from types import FunctionType, MethodType
from typing import Any

from unjit.comparison.leaves import leaves


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
    random_states: tuple[Any, Any, Any, Any]

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
            _random_states(),
        )

    def put_back(self) -> None:
        """As it was; gradients are taken off, so that a run begins without any."""
        for _, tensor, values in self.tensors:
            if tensor.dtype is not values.dtype:
                tensor.data = values.clone()
            else:
                overwrite(tensor, values)
        for tensor, _ in self.gradients:
            tensor.grad = None
        self.put_back_random()

    def put_back_random(self) -> None:
        """The same random numbers come next as at the moment of the state."""
        import torch

        python, cpu, gpu, numpy = self.random_states
        random.setstate(python)
        torch.set_rng_state(cpu)
        if gpu is not None:
            torch.cuda.set_rng_state_all(gpu)
        if numpy is not None:
            sys.modules["numpy"].random.set_state(numpy)

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


def _random_states() -> tuple[Any, Any, Any, Any]:
    import torch

    gpu = torch.cuda.get_rng_state_all() if torch.cuda.is_available() else None
    numpy = sys.modules["numpy"].random.get_state() if "numpy" in sys.modules else None
    return random.getstate(), torch.get_rng_state(), gpu, numpy


@dataclass(frozen=True)
class Outcome:
    """All that a run gave and changed, as named leaves; or what it raised."""

    values: list[tuple[str, Any]]
    error: BaseException | None = None


def ran(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], state: State) -> Outcome:
    """Call, go backward where there are gradients, and note everything that can be seen afterwards."""
    try:
        result = function(*args, **kwargs)
        outputs = list(leaves(result, "result"))
        backward([leaf for _, leaf in outputs])
    except Exception as error:
        return Outcome([], error)
    inputs = [*leaves(list(args), "args"), *leaves(kwargs, "kwargs")]
    seen = [*outputs, *((f"{name} after the call", leaf) for name, leaf in inputs)]
    seen += [(f"{name} after the call", tensor) for name, tensor, _ in state.tensors]
    tensors = [*inputs, *((name, tensor) for name, tensor, _ in state.tensors)]
    seen += [(f"gradient of {name}", leaf.grad) for name, leaf in tensors if _has_gradient(leaf)]
    return Outcome([(name, _kept(leaf)) for name, leaf in seen])


def backward(outputs: list[Any]) -> None:
    """Backward from every output that has a gradient, with the same weights in every run."""
    import torch

    roots = [leaf for leaf in outputs if isinstance(leaf, torch.Tensor) and leaf.requires_grad]
    if roots:
        weights = [torch.linspace(0.5, 1.5, root.numel()).view(root.shape).to(root) for root in roots]
        torch.autograd.backward(roots, weights)


def _has_gradient(leaf: Any) -> bool:
    return getattr(leaf, "is_leaf", False) and getattr(leaf, "grad", None) is not None


def _kept(leaf: Any) -> Any:
    """The value as it is now: later runs may change the tensor."""
    return leaf.detach().clone() if hasattr(leaf, "detach") else leaf
