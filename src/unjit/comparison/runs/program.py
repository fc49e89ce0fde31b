"""What is compared: a function, its inputs, and all that a run of it finds and may change."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from unjit.comparison.restoring.held_tensors import held_tensors
from unjit.comparison.restoring.modules import modules_of, optimizers_of, tensors_of
from unjit.comparison.restoring.reached import Reached, shared_with_copies
from unjit.comparison.restoring.state import State
from unjit.comparison.restoring.tensors import copies_of
from unjit.comparison.runs.copying import copied
from unjit.comparison.runs.gpus import check_not_recorded
from unjit.comparison.runs.outcome import Outcome, ran
from unjit.comparison.runs.room import check_room_for_run
from unjit.comparison.values.leaves import tensors
from unjit.comparison.values.without_values import check_values
from unjit.errors import UnjitError
from unjit.model.words.wording import in_words
from unjit.torch_private.compiled_graphs.parametrizations import parametrizations


@dataclass(frozen=True)
class Program:
    """A function with the inputs that it is compared on, and the state in which each run begins."""

    function: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    modules: list[Any]
    optimizers: list[Any]
    state: State
    reached: Reached
    held: list[tuple[str, Any]]  # tensors that runs may change and find in place: of the state, and others
    before: dict[str, Any]  # what runs may change, by name: no copy of what they leave as it was
    options: dict[str, Any]  # of torch.compile, as the program has them: Dynamo captures otherwise without

    @classmethod
    def of(
        cls, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], keepers: Iterable[Any], **options: Any
    ) -> Program:
        """As everything is now; `options` are those of torch.compile that are no backend's.

        What `keepers` lead to is put back as what the function leads to is.
        Raises UnjitError while a CUDA graph is recorded, where a tensor has no values, or something cannot be copied.
        """
        check_not_recorded()
        given = [*tensors(list(args), "args"), *tensors(kwargs, "kwargs")]
        modules = modules_of(function, args, kwargs)
        optimizers = optimizers_of(function, args, kwargs)
        check_values([*given, *tensors_of(modules)])
        state = State.of(modules, optimizers)
        known = {id(tensor) for _, tensor, _ in state.tensors}
        shared = shared_with_copies([args, kwargs])
        roots = [function, *modules, *optimizers, *shared, *keepers, parametrizations()]
        reached = Reached.of(roots, known, [args, kwargs])
        inputs = {id(tensor) for _, tensor in given}
        others = {key: kept for key, kept in reached.remembered.items() if key not in inputs}
        found = list(held_tensors(function, modules, others))
        # Copies, as a run may change an input where it is held elsewhere, too.
        before = {**copies_of(given), **state.values, **{name: others[id(tensor)].values for name, tensor in found}}
        held = [*state.named, *found]
        return cls(function, args, kwargs, modules, optimizers, state, reached, held, before, options)

    def begin(self) -> None:
        """Put everything into the state in which a run begins."""
        self.reached.put_back()
        self.state.put_back()
        self.state.gradients.give_copies()
        self.reached.gradients.give_copies()
        self.reached.cut_off.put()

    def check_room(self, *, in_float64: bool) -> None:
        """Raises NoRoom if there is no memory for a run."""
        given = [tensor for _, tensor in tensors([list(self.args), self.kwargs], "")]
        check_room_for_run([*given, *(tensor for _, tensor in self.state.named)], in_float64=in_float64)

    def run(self, function: Any, *, dtype: Any = None, held: Iterable[tuple[str, Any]] | None = None) -> Outcome:
        """One run of `function` on copies of the inputs, begun in the state.

        `held` are the tensors of modules in place of the program's own, where `function` runs a copy of its module.
        """
        self.begin()
        in_place = self.reached.cut_off.now
        if held is None:  # whoever copied a module has already made sure of room for this run
            self.check_room(in_float64=dtype is not None)
        try:
            instead = {id(one): in_place(one) for one in self.reached.not_copied}
            args, kwargs = copied((self.args, self.kwargs), instead, dtype=dtype)
        except Exception as error:
            raise UnjitError(
                f"the inputs cannot be copied for a run each ({in_words(error)}); "
                "pass tensors, numbers and containers of them"
            ) from error
        may_change = [(name, in_place(tensor)) for name, tensor in (self.held if held is None else held)]
        found = ran(function, args, kwargs, may_change, self.before)
        self.reached.cut_off.refuse_taking()
        return found
