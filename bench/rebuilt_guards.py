"""Whether torch can be trusted to build an entry's guards anew, after the program has gone on.

    python bench/rebuilt_guards.py [--programs NAME …] [--models NAME …] [--most N] [--drops N]

Keeps what torch needs at each compile (its Guard objects, the frame's variables, the symbols of sizes), lets the
program end, builds the guards of every entry again with torch's own `CheckFunctionManager`, and asks the entry's guards
and the rebuilt ones about the same frames: as seen and changed in one property at a time (tests/support/agreement.py),
at most N changes of values for each entry. An entry is told apart by whether the two trees print the same, leaf by
leaf, in the same places: if that were enough to trust the rebuilt ones, no entry that prints the same could disagree.

With `--drops`, what unjit makes of it: of each entry, N guards on values of the program are dropped, one at a time, by
`entry.copy`'s way through torch; how many could be, why the others could not, and whether what is kept answers as the
same guards in Python do.
"""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType
from typing import Any

import torch
import torch._dynamo
import torch._dynamo.guards
from torch._dynamo.output_graph import OutputGraphCommon
from torch._guards import GuardsSet

from unjit.observe.guards.reading import live_guards
from unjit.observe.listening import recorder
from unjit.torch_private.guard_trees.guards import RawNode, guards_of

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests" / "support"))

from agreement import changes  # noqa: E402
from changed_values import STATES  # noqa: E402
from corpus import AWKWARD, models  # noqa: E402
from rebuilt_copies import Drops, compiles, drop_each  # noqa: E402

MODELS = ("bert", "gpt2_no_cache", "t5", "vit")


@dataclasses.dataclass
class Kept:
    """What torch needs to build the guards of one entry again. It keeps the arguments of the compile alive."""

    manager: Any
    frame: dict[str, Any]
    code: CodeType
    graph: OutputGraphCommon


@dataclasses.dataclass
class Result:
    """Of one entry."""

    raised: str | None = None
    printed_same: bool = False
    asked: int = 0
    accepts_more: list[str] = dataclasses.field(default_factory=list)
    refuses_more: list[str] = dataclasses.field(default_factory=list)


def keep(noted: list[Kept], manager: Any, frame: dict[str, Any], builder: Any) -> None:
    made = builder.check_fn_manager.output_graph
    state = dataclasses.replace(
        made.dump_guards_state(),
        _guards=GuardsSet(type(made.guards.inner)(map(untouched, made.guards))),
        _aotautograd_guards=list(made.aotautograd_guards),
        local_scope=dict(frame),
        skip_guards_check=True,
    )
    fakes = dict(made.tracked_fakes_id_to_source)
    graph = OutputGraphCommon(state, shape_env=made.shape_env, tracked_fakes_id_to_source=fakes)
    noted.append(Kept(manager, dict(frame), builder.f_code, graph))


def untouched(guard: Any) -> Any:
    """As it was before torch noted in it what it made of it."""
    nothing = dict.fromkeys(("guard_types", "code_list", "obj_weakref", "guarded_class_weakref"))
    return dataclasses.replace(guard, **nothing)


def compiled(run: Callable[[], None]) -> list[Kept]:
    """What is kept of every compile of a program that has ended."""
    noted: list[Kept] = []
    torch._dynamo.reset()
    before = torch._dynamo.guards.guard_manager_testing_hook_fn
    torch._dynamo.guards.guard_manager_testing_hook_fn = lambda *made: keep(noted, *made)
    try:
        run()
    finally:
        torch._dynamo.guards.guard_manager_testing_hook_fn = before
    return noted


def examined(kept: Kept, most: int) -> Result:
    scope = kept.manager.global_scope["G"]
    try:
        maker = torch._dynamo.guards.CheckFunctionManager(kept.code, kept.graph, runtime_global_scope=scope)
    except Exception as error:
        return Result(f"{type(error).__name__}: {error}")
    result = Result(printed_same=printed(kept.manager) == printed(maker.guard_manager))

    def ask(what: str, frame: dict[str, Any]) -> None:
        result.asked += 1
        entry, rebuilt = kept.manager.root.check_verbose(frame), maker.guard_manager.root.check_verbose(frame)
        if rebuilt.result and not entry.result:
            result.accepts_more.append(f"{what}: the entry says {entry.verbose_code_parts}")
        elif entry.result and not rebuilt.result:
            result.refuses_more.append(f"{what}: rebuilt, it says {rebuilt.verbose_code_parts}")

    ask("as seen", kept.frame)
    for what, setting in STATES.items():
        with setting():
            ask(what, kept.frame)
    tree = live_guards(kept.manager)[0].tree
    for what, change, undo in itertools.islice(changes(tree, kept.frame, scope), most):
        changed = change()
        try:
            ask(what, changed)
        finally:
            undo()
    return result


def printed(manager: Any) -> Counter[tuple[Any, ...]]:
    """Each leaf as torch prints it, with its place in the tree, and the sizes that managers of dicts ask for.

    Without their order: a tree asks first what failed most.
    """

    def of(node: RawNode, place: tuple[str, ...]) -> Iterator[tuple[Any, ...]]:
        here = (*place, node.accessor)
        yield here, node.manager, node.source, node.size, node.guarded_type
        yield from ((here, leaf.kind, leaf.parts) for leaf in node.leaves)
        for child in node.children:
            yield from of(child, here)

    raw = guards_of(manager)
    return Counter([*of(raw.root, ()), *((leaf.kind, leaf.parts) for leaf in raw.epilogue)])


def awkward(name: str) -> Callable[[], None]:
    def run() -> None:
        function, calls = AWKWARD[name]()
        made = torch.compile(function, backend="eager")
        for arguments in calls:
            try:
                made(*arguments)
            except Exception:  # some of these programs raise; what was compiled before is there
                break

    return run


def model(models: Any, name: str) -> Callable[[], None]:
    def run() -> None:
        made, inputs = models.make(name)
        with torch.no_grad():
            torch.compile(made, backend="eager")(**inputs)

    return run


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--programs", nargs="*", default=sorted(AWKWARD))
    parser.add_argument("--models", nargs="*", default=list(MODELS))
    parser.add_argument("--most", type=int, default=400)
    parser.add_argument("--drops", type=int, default=0)
    options = parser.parse_args()
    runs = {name: awkward(name) for name in options.programs} | {n: model(models, n) for n in options.models}
    if options.drops:
        drop_guards(runs, options.drops)
        return
    total: Counter[str] = Counter()
    for name, run in runs.items():
        for number, kept in enumerate(compiled(run)):
            result = examined(kept, options.most)
            tell(f"{name}, entry {number}", result)
            count(total, result)
    print(", ".join(f"{number:,} {what}" for what, number in total.items()))


def drop_guards(runs: dict[str, Callable[[], None]], most: int) -> None:
    started, total = recorder.start(), Drops()
    for name, run in runs.items():
        torch._dynamo.reset()
        drops = Drops()
        with compiles() as noted:
            run()
        for one in noted:
            drop_each(*one, drops, most=most)
        print(f"{name}: {of_drops(drops)}", flush=True)
        for disagreement in drops.disagreements:
            print(f"    {disagreement}", flush=True)
        for field in dataclasses.fields(Drops):
            setattr(total, field.name, getattr(total, field.name) + getattr(drops, field.name))
    print(f"all: {of_drops(total)}; losses: {started.errors or 'none'}")
    for reason, number in total.refused.most_common():
        print(f"    {number:,} not: {reason}")


def of_drops(drops: Drops) -> str:
    asked = f"{drops.questions:,} questions, {drops.held:,} held, {len(drops.disagreements)} disagreements"
    return f"{drops.rebuilt:,} dropped by torch, {drops.refused.total():,} not; {asked}"


def tell(which: str, result: Result) -> None:
    """What is wrong with an entry, if something is, with the first example of each kind."""
    if result.raised is not None:
        print(f"{which}: raised {result.raised[:160]}", flush=True)
    same = "prints the same" if result.printed_same else "prints otherwise"
    for what, found in (("accepts more", result.accepts_more), ("refuses more", result.refuses_more)):
        if found:
            print(f"{which}: {what}, in {len(found)} of {result.asked} questions, {same}: {found[0][:200]}", flush=True)


def count(total: Counter[str], result: Result) -> None:
    total["entries"] += 1
    total["raised"] += result.raised is not None
    total["questions"] += result.asked
    total["accept a frame that the entry refuses"] += bool(result.accepts_more)
    total["refuse a frame that the entry accepts"] += bool(result.refuses_more and not result.accepts_more)
    total["print the same"] += result.printed_same
    total["print the same and disagree"] += result.printed_same and bool(result.accepts_more or result.refuses_more)


if __name__ == "__main__":
    main()
