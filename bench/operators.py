"""Every operator and module of PyTorch's own databases, compiled as it is and under unjit.

    python bench/operators.py [NAME ...] [--modules] [--backend eager|aot_eager|inductor] [--samples 2] [--part K/N]

The databases (`op_db` in `torch.testing._internal.common_methods_invocations`, and with --modules `module_db` in
`common_modules` beside it; they need `expecttest`) have operators and modules with arguments that they take. Each is
compiled and called, with its gradients where it has any: alone, and in a capture with everything else asked as well. A
line for each difference: results, gradients and errors that are not the same, anything lost, code without source, files
that do not compile, guards that torch and their Python answer differently.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
import torch._dynamo

import unjit
from unjit.model import Unknown

Outcome = tuple[str, list[Any]]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="as in nn.functional.relu, nn.LSTM; all otherwise")
    parser.add_argument("--modules", action="store_true", help="modules in place of operators")
    parser.add_argument("--backend", default="eager")
    parser.add_argument("--samples", type=int, default=2, help="of the arguments of each")
    parser.add_argument("--part", default="1/1", help="the Kth of N parts of the database")
    arguments = parser.parse_args()
    part, parts = map(int, arguments.part.split("/"))
    listed, calls = modules() if arguments.modules else operators()
    chosen = [one for one in listed if not arguments.names or one.name in arguments.names][part - 1 :: parts]
    seen: Counter[str] = Counter()
    for one in chosen:
        for number, call in enumerate(calls(one, arguments.samples)):
            for fault in faults_of(call, arguments.backend, seen):
                print(f"{one.name} {getattr(one, 'variant_test_name', '')}, sample {number}: {fault}", flush=True)
                seen["faults"] += 1
    print(f"{len(chosen)} {'modules' if arguments.modules else 'operators'}: {dict(seen)}")
    return 1 if seen["faults"] else 0


def operators() -> tuple[list[Any], Any]:
    from torch.testing._internal.common_methods_invocations import op_db

    return op_db, calls_of


def modules() -> tuple[list[Any], Any]:
    from torch.testing._internal.common_modules import module_db

    return module_db, calls_of_module


def calls_of_module(listed: Any, most: int) -> Iterator[Callable[[], Any]]:
    """Modules in training, each with its arguments."""
    try:
        inputs = listed.module_inputs_func(listed, "cpu", torch.float32, requires_grad=True, training=True)[:most]
    except Exception:
        return  # the database itself fails here
    for one in inputs:
        if one.forward_input is None:
            continue
        torch.manual_seed(0)
        made = listed.module_cls(*one.constructor_input.args, **one.constructor_input.kwargs)
        if any(map(torch.nn.parameter.is_lazy, made.parameters())):
            continue  # its first call makes another class of it
        yield _with_fresh(made.train(), one.forward_input.args, one.forward_input.kwargs)


def calls_of(operator: Any, most: int) -> Iterator[Callable[[], Any]]:
    """Functions without arguments: what they call stays what it is between two compiles."""
    dtypes = [one for one in (torch.float32, torch.bool, *operator.dtypes) if one in operator.dtypes]
    if not dtypes:
        return  # not for CPUs
    dtype = dtypes[0]
    gradients = operator.supports_autograd and dtype == torch.float32
    try:
        samples = list(operator.sample_inputs("cpu", dtype, requires_grad=gradients))[:most]
    except Exception:
        return  # the database itself fails here
    for sample in samples:
        yield _call(operator, sample)


def _call(operator: Any, sample: Any) -> Callable[[], Any]:
    function = operator.op

    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return _with_fresh(call, (sample.input, *sample.args), sample.kwargs)


def _with_fresh(call: Any, args: Any, kwargs: Any) -> Any:
    """What is called, with a function that gives new arguments for each call; of a module also its first state."""
    state = _copied(dict(call.state_dict())) if isinstance(call, torch.nn.Module) else {}

    def fresh() -> tuple[Any, Any]:
        if state:
            call.load_state_dict(state)
            call.zero_grad()
        return _copied(args), _copied(kwargs)

    call.fresh = fresh
    return call


def _copied(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.detach().clone().requires_grad_(value.requires_grad)
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        return type(value)(map(_copied, value))
    return {key: _copied(part) for key, part in value.items()} if isinstance(value, dict) else value


# ---------------------------------------------------------------- alone and under unjit
def faults_of(call: Any, backend: str, seen: Counter[str]) -> Iterator[str]:
    alone = outcome(call, backend)
    again = outcome(call, backend)
    if not _same(alone, again):
        seen["differ by themselves"] += 1
        return
    with tempfile.TemporaryDirectory() as folder:
        with unjit.capture(Path(folder, "out")) as session:
            under = outcome(call, backend)
            found = _told(call)
        seen["calls"] += 1
        seen["raise"] += bool(alone[0])
        if not _same(alone, under):
            yield f"{alone[0] or alone[1]} alone, {under[0] or under[1]} in a capture"
        yield from found
        yield from map(str, session.losses)
        yield from _of_files(Path(folder, "out"), session)


def _told(call: Any) -> list[str]:
    try:
        return list(asked(call))
    except Exception as error:
        return [f"asking raised {type(error).__name__}: {error}"]


def outcome(call: Any, backend: str) -> Outcome:
    """The class of the error, or nothing; and the results and gradients."""
    torch._dynamo.reset()
    torch.manual_seed(0)
    args, kwargs = call.fresh()
    try:
        result = torch.compile(call, backend=backend)(*args, **kwargs)
        tensors = _tensors(result)
        asked_for = [one for one in tensors if one.requires_grad]
        if asked_for:
            sum(one.abs().sum() for one in asked_for).backward()
        gradients = [one.grad for one in _tensors((args, kwargs)) if one.grad is not None]
    except Exception as error:
        return type(error).__name__, []
    return "", [*(one.detach() for one in tensors), *gradients]


def asked(call: Any) -> Iterator[str]:
    """All that can be asked about what is compiled now."""
    args, kwargs = call.fresh()
    explained = unjit.explain(call)
    str(explained)
    for function in explained.functions:
        for entry in function.data.entries:
            if not isinstance(entry.code, Unknown) and entry.code.verdict == "opaque":
                yield f"no source of {function.name}: {entry.code.reason}"
    answer = unjit.why(call, *args, **kwargs)
    if explained.entries and answer.outcome not in ("runs an entry", "runs uncompiled"):
        yield f"called again it {answer.outcome}: {answer}"
    for entry in explained.entries:
        yield from _of_guards(entry.guards, args, kwargs)


def _of_guards(guards: Any, args: Any, kwargs: Any) -> Iterator[str]:
    if isinstance(guards, Unknown):
        yield f"guards {guards}"
    elif guards.check(*args, **kwargs) != guards.predicate(guards.frame(*args, **kwargs)):
        yield f"torch and Python differ about the guards:\n{guards.source}"


def _of_files(folder: Path, session: Any) -> Iterator[str]:
    for path in folder.rglob("*.py"):
        try:
            compile(path.read_text(), str(path), "exec")
        except SyntaxError as error:
            yield f"{path.relative_to(folder)}: {error}"
    if unjit.load(folder).data != session.data:
        yield "the directory reads back as something else"


def _same(one: Outcome, other: Outcome) -> bool:
    return one[0] == other[0] and len(one[1]) == len(other[1]) and all(map(_equal, one[1], other[1]))


def _equal(one: torch.Tensor, other: torch.Tensor) -> bool:
    if one.dtype != other.dtype or one.shape != other.shape or one.layout != other.layout:
        return False
    return one.layout != torch.strided or torch.allclose(one, other, rtol=0, atol=0, equal_nan=True)


def _tensors(value: Any) -> list[torch.Tensor]:
    return [one for one in torch.utils._pytree.tree_leaves(value) if isinstance(one, torch.Tensor)]


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sys.exit(main())
