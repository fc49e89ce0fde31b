"""The passes of the decompiler, in order.

code object --decode--> instructions --build_graph--> blocks of three-address statements
--graph passes--> blocks of expressions, one per decision --structure--> nested statements
--tree passes--> statements as a person writes them --render--> text --recompile--> code --verify--> verdict
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from types import CodeType

from unjit.decompiler.errors import NoStatement
from unjit.decompiler.ir.flow.graph import Graph
from unjit.decompiler.ir.tree.nodes import Inlined
from unjit.decompiler.ir.tree.uses import count_uses, count_uses_again
from unjit.decompiler.lift.build_graph import build_fragment, build_graph
from unjit.decompiler.passes.cleanups import put_back_locals, recover_cleanups, recover_unbinding
from unjit.decompiler.passes.conditions import fold_conditions, join_returns, skip_known_tests
from unjit.decompiler.passes.exits import (
    absorb_exits,
    break_to_the_end,
    join_ends,
    merge_exits,
    note_returns,
    recover_breaks,
    share_jumps,
    split_exits,
)
from unjit.decompiler.passes.handlers import leave_handlers, merge_handler_exits, recover_groups
from unjit.decompiler.passes.loops import head_loops, number_loops, part_loops, unrotate_loops
from unjit.decompiler.passes.loops.number_jumps import number_jumps
from unjit.decompiler.passes.patterns import join_cases, recover_patterns
from unjit.decompiler.passes.regions import find_regions
from unjit.decompiler.passes.tree import (
    divide_tests,
    end_loops,
    join_deletions,
    join_imports,
    join_jumps,
    recover_annotations,
    recover_asserts,
    recover_choices,
    recover_else_jumps,
    recover_elses,
    recover_nesting,
    say_constants,
    say_tests,
    split_operators,
    stand_after,
)
from unjit.decompiler.passes.values import (
    fold_expressions,
    keep_dropped_values,
    merge_keywords,
    merge_params,
    name_tested_values,
    read_stored_values,
    star_annotations,
)
from unjit.decompiler.structuring.dispatch import dispatch
from unjit.decompiler.structuring.structure import structure, structure_one_loop_at_a_time

Pass = Callable[[Graph], None]

GRAPH_PASSES: tuple[Pass, ...] = (
    note_returns.run,  # first: it asks instructions
    join_ends.run,  # before regions: what nobody wrote is in none
    find_regions.run,  # early: every later pass must know what may not leave a try
    keep_dropped_values.run,  # before parameters that nothing reads are dropped
    merge_params.run,  # needs the edges that regions add
    recover_groups.run,  # before folding: it follows single steps
    recover_patterns.run,  # before folding: it follows single steps, and before what reads displays apart
    star_annotations.run,  # before folding, which puts them into the function's header
    merge_keywords.run,  # before folding, which puts the merged dict where it is read
    count_uses,  # folding asks how often each value is read, which merging settled
    fold_expressions.run,
    join_returns.run,  # before conditions, which fold what lambdas choose between
    recover_unbinding.run,  # before exits are merged: what it takes off stands before some
    merge_exits.run,  # before conditions: they must be seen to lead to the same place
    fold_conditions.run,  # needs blocks that are nothing but an expression
    merge_handler_exits.run,  # after conditions, which shorten jumps to jumps
    fold_conditions.run_after_handlers,  # again: tests that lead to one end by now
    recover_cleanups.run,  # compares whole statements
    put_back_locals.run,  # what was taken for the sake of cleanups that are none
    merge_handler_exits.run,  # again: ends that cleanups stood before
    merge_exits.run_after_cleanups,  # again: exits that cleanups stood before
    split_exits.run,  # after cleanups, whose copies end alike
    merge_exits.run,  # again: the parts
    recover_breaks.run,  # before exits that are one by now
    merge_handler_exits.run_where_exits_are_one,  # after what made them one
    absorb_exits.run,  # what cleanups stood before
    leave_handlers.run,  # after what has to see where handlers end
    fold_conditions.run,  # again: blocks that cleanups kept apart
    merge_exits.run_in_regions,  # again: exits that are whole by now
    fold_conditions.run_in_regions,  # again: tests that lead to one of these
    part_loops.run,  # after what takes blocks for the heads of the loops that they begin
    head_loops.run,  # before tests that are asked again are one, which tell of loops
    unrotate_loops.run,  # compares whole tests
    join_cases.run,  # after conditions: guards are whole
    share_jumps.run,  # after what moves edges
    count_uses_again,  # structuring asks which values are read at all
    read_stored_values.run,  # late: what folding could not put into the place of its reader
    name_tested_values.run,  # last: what no pass could put there
)
WITHIN_BLOCKS = frozenset(
    {
        note_returns.run,
        join_ends.run,
        star_annotations.run,
        merge_keywords.run,
        count_uses,
        fold_expressions.run,
        read_stored_values.run,
    }
)
TREE_PASSES: tuple[Callable[[list[ast.stmt], Graph], list[ast.stmt]], ...] = (
    recover_asserts.run,
    recover_annotations.run,
    divide_tests.run,
    join_deletions.run,
    join_imports.run,
    recover_choices.run,
    say_tests.run,  # before all that tell where a statement begins: before its test there may be a `not`
    join_jumps.run,  # before all that stand after statements
    recover_else_jumps.run,  # before the loops' ends, of which some stand in these
    end_loops.run,  # before elses: what follows a loop is in none
    recover_elses.run,  # after what makes one statement of several
    stand_after.run,  # after what tells an `else`
    recover_nesting.run,  # after what tells the suites of a `try`
    say_constants.run,  # last: what a loop tests tells whether it is endless
)


@dataclass(frozen=True)
class Tier:
    """A way to decompile. They are tried in order; the first whose source is proved is the answer."""

    name: str
    structure: Callable[[Graph], list[ast.stmt]] = structure
    sees_through: bool = False  # displays that are taken apart again are not made
    eager_locals: bool = False  # locals are read where they are loaded, not where they are used
    graph_passes: tuple[Pass, ...] = GRAPH_PASSES
    tree_passes: tuple[Callable[[list[ast.stmt], Graph], list[ast.stmt]], ...] = TREE_PASSES
    numbers_jumps: bool = False  # what no statement goes to is gone to by a number
    selectors: int = 0  # how many variables that steer control the tier adds

    @functools.cached_property
    def within_blocks(self) -> tuple[Pass, ...]:
        """Those of the passes that have anything to do in a graph of one block."""
        return tuple(run for run in self.graph_passes if run in WITHIN_BLOCKS)


def _with_one_after(earlier: Pass, added: Pass, passes: Iterable[Pass] = GRAPH_PASSES) -> tuple[Pass, ...]:
    """The passes with one more after an earlier one."""
    return tuple(each for run in passes for each in ((run, added) if run is earlier else (run,)))


MOST_NUMBERED = 16  # jumps of one code object; each makes a graph anew
_WITH_ONE_END = _with_one_after(join_cases.run, break_to_the_end.run)
# Without notes of returns too: columns may say what is not so, in code that no compiler made.
_EXITS_APART = tuple(run for run in GRAPH_PASSES if run not in (merge_exits.run, note_returns.run))
_TESTED_ONCE = _with_one_after(fold_expressions.run, skip_known_tests.run)
_IN_COPIES = tuple(
    recover_cleanups.run_without_finally if run is recover_cleanups.run else run
    for run in _TESTED_ONCE
    if run not in (unrotate_loops.run, share_jumps.run, read_stored_values.run)
)
_SPLIT = (*TREE_PASSES, split_operators.run)
_WITH_NUMBERS = (
    *_with_one_after(find_regions.run, number_loops.run, _TESTED_ONCE),
    number_loops.run,  # again: parts of several loops that were merged, and have several ways in then
    count_uses_again,
)
TIERS = (
    Tier("readable", sees_through=True, graph_passes=_WITH_ONE_END),
    Tier("readable, displays as they are made"),
    Tier("readable, locals read where they are loaded", eager_locals=True),
    Tier("readable, each way out by itself", graph_passes=_EXITS_APART, eager_locals=True),
    Tier(
        "readable, one loop left at a time", structure_one_loop_at_a_time, graph_passes=_TESTED_ONCE, tree_passes=_SPLIT
    ),
    Tier(
        "readable, with numbers",
        structure_one_loop_at_a_time,
        graph_passes=_WITH_NUMBERS,
        tree_passes=_SPLIT,
        numbers_jumps=True,
    ),
    Tier("one block a turn", dispatch, graph_passes=_IN_COPIES, tree_passes=_SPLIT, eager_locals=True, selectors=1),
)


def statements_of(code: CodeType, tier: Tier, *, notes_stacks: bool) -> tuple[Graph, list[ast.stmt]]:
    """The structured statements of a code object, and the graph they came from. May raise CannotExpress."""
    eager_locals, sees_through = tier.eager_locals, tier.sees_through
    numbered: list[NoStatement] = []
    while True:
        graph = build_graph(code, eager_locals=eager_locals, sees_through=sees_through, notes_stacks=notes_stacks)
        try:
            return graph, _statements(graph, tier, numbered)
        except NoStatement as jump:
            if not tier.numbers_jumps or len(numbered) == MOST_NUMBERED:
                raise
            numbered.append(jump)


def statements_of_fragment(code: CodeType, inlined: Inlined, tier: Tier) -> list[ast.stmt]:
    """The structured statements of a comprehension inlined in `code`. May raise CannotExpress."""
    return _statements(build_fragment(code, inlined, eager_locals=tier.eager_locals), tier)


def _statements(graph: Graph, tier: Tier, numbered: Sequence[NoStatement] = ()) -> list[ast.stmt]:
    for run in tier.graph_passes if len(graph.blocks) > 1 else tier.within_blocks:
        run(graph)
    number_jumps(graph, numbered)
    body = tier.structure(graph)
    for rewrite in tier.tree_passes:
        body = rewrite(body, graph)
    return body
