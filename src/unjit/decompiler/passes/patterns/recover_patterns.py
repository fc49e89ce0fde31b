"""The tests of a case clause, as the pattern that they ask.

*What the compiler did*: a pattern became tests of the subject and of its parts, taken apart step by step; what it binds
is stored when all tests have passed, and every test that fails goes to the next case. *The shape*: blocks of nothing
but such steps, one after the other, whose tests fail to one place; where one fails to other tests that come back to
the same path, those are the alternatives of an or-pattern, of which the last may ask nothing. *What we produce*: one
branch on the whole pattern, or a match statement of one case that nothing fails. *What we refuse*: steps on anything
but the subject and its parts, and a pattern that somebody enters in its middle.
"""

from __future__ import annotations

import ast

from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir.flow.graph import Block, Branch, Case, Edge, Graph, Match
from unjit.decompiler.ir.tree.nodes import Define, MatchesPattern, Temp
from unjit.decompiler.ir.tree.order import temps_in
from unjit.decompiler.passes.patterns.parts.clauses import ClauseReader
from unjit.decompiler.passes.patterns.parts.copied_exits import split_exits
from unjit.decompiler.passes.patterns.parts.steps import Asked, asked, is_load
from unjit.decompiler.passes.patterns.parts.subjects import may_match, subjects_of_patterns


def run(graph: Graph) -> None:
    if len(graph.reachable()) == 1 or not may_match(graph):
        return
    definitions = {s.temp: s.value for block in graph.reachable() for s in block.statements if type(s) is Define}
    questions = {block: question for block in graph.reachable() if (question := asked(block, definitions)) is not None}
    subjects = subjects_of_patterns(graph, definitions, questions) if questions else None
    if not subjects:
        return
    exits = split_exits(graph)
    recovered: set[Block] = set()
    predecessors = {block: set(leading) for block, leading in graph.predecessors().items()}  # or were, some of them
    for block in graph.reachable():
        if block not in recovered:
            reader = ClauseReader(graph, definitions, predecessors, exits)
            try:
                body = _recover(reader, block, subjects)
            except CannotExpress:
                continue
            recovered |= reader.visited - {block, body}
            graph.forget_order()
            for after in block.successors():
                predecessors[after].add(block)


def _recover(reader: ClauseReader, block: Block, subjects: set[Temp]) -> Block:
    """Put one branch in place of the pattern that starts in `block`, if one does; give the block of the case's body."""
    question = asked(block, reader.definitions)
    if question is None or question.temp not in subjects:
        raise CannotExpress("no pattern starts here")
    at = _start(block, question)
    end = reader.case(block, at, question.temp)
    pattern = end.facts.pattern(question.temp, end.names)
    edge = end.edge
    if end.at:
        if not reader.entered_only_from_visited(end.block):
            raise CannotExpress("a case is entered in the middle of its pattern")
        del end.block.statements[: end.at]
        end.block.params = []
        edge = Edge(end.block)
    del block.statements[at:]
    if end.fail is None:
        block.terminator = Match(question.temp, [Case(pattern, None, edge)], None)
    else:
        block.terminator = Branch(MatchesPattern(question.temp, pattern), edge, end.fail)
    return end.block


def _start(block: Block, question: Asked) -> int:
    """The index of the first statement that the question in the end of the block needs, its subject left out.

    A local or constant that becomes the subject only for a class pattern's question is taken first.
    """
    needed, at = {question.test}, len(block.statements)
    statements = block.statements
    while at:
        statement = statements[at - 1]
        if not isinstance(statement, Define):
            break
        if statement.temp is question.temp:
            before = statements[at - 2] if at > 1 else None
            if not (isinstance(statement.value, ast.Name | ast.Constant) and _is_needed_load(before, needed)):
                break
            statements[at - 2 : at] = [statement, statements[at - 2]]
        elif statement.temp in needed:
            needed.update(temps_in(statement.value))
        else:
            break
        at -= 1
    return at + (at < len(statements) and _defines(statements[at], question.temp))


def _is_needed_load(statement: ast.stmt | None, needed: set[Temp]) -> bool:
    return isinstance(statement, Define) and statement.temp in needed and is_load(statement)


def _defines(statement: ast.stmt, temp: Temp) -> bool:
    return isinstance(statement, Define) and statement.temp is temp
