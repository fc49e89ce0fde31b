"""`unjit.step` on plain functions: what each command does, on every Python."""

from __future__ import annotations

import builtins
import io
import sys
from pathlib import Path
from types import FunctionType

import pytest

from stepped import adds, answers, line_of, session, twice
from unjit.stepping.session import Stepper


@pytest.mark.smoke
def test_instruction_and_source_stand_side_by_side():
    _, printed = session(adds, 2, commands=["q"])
    assert f"> adds at {adds.__code__.co_filename}:{adds.__code__.co_firstlineno} @" in printed
    assert f"|  {line_of('total = start')}  total = start" in printed


def test_breakpoints_by_line_offset_function_and_operation():
    line = line_of("total += twice")
    listed = answers([f"b {line}", "c", "p i", "c", "p i", "b"], 3)
    assert listed[1].startswith("> adds")
    assert listed[2] == "0\n"
    assert listed[4] == "1\n"
    assert f"line {line} of adds" in listed[5]
    assert "-- " not in answers([f"b {line}, i == 2", "c", "q"], 3)[1]
    assert answers([f"b {line}, i == 2", "c", "p i"], 3)[2] == "2\n"
    entered = answers(["b twice", "c", "w", "p x"], 3)
    assert "> twice at " in entered[1]
    assert entered[3] == "1\n"
    operation = "GET_ITER"
    assert f"{operation}" in answers([f"b {operation}", "c"], 3)[1]


def test_a_function_without_a_text_is_not_called_generated():
    names = {}
    exec("def from_nowhere(x):\n    return x", names)
    assert session(names["from_nowhere"], 2, commands=["q"])[1].startswith("> decompiled from_nowhere (identical) @")


def test_names_that_the_source_has_for_objects_in_the_code_can_be_asked():
    def gives(x):
        return [x, "here"]

    made = FunctionType(_with_constant(gives.__code__, "here", Path("there")), {})
    name = f"{type(Path()).__name__}_constant"
    printed = session(made, 2, commands=[f"p {name}", "c"])[1]
    assert f"return [x, {name}]" in printed
    assert repr(Path("there")) in printed


def _with_constant(code, old, new):
    return code.replace(co_filename="<made>", co_consts=tuple(new if one == old else one for one in code.co_consts))


class First:
    def named(self, x):
        return x + 1


class Second:
    def named(self, x):
        return First().named(x) * 2


def test_a_method_is_told_from_others_of_its_name_as_elsewhere():
    def uses(x):
        return Second().named(x)

    for name, stop in {"First.named": "return x + 1", "First_named": "return x + 1", "named": "return First()"}.items():
        if sys.version_info >= (3, 11) or name == "named":  # Python keeps no qualified names before
            printed = session(uses, 2, commands=[f"b {name}", "c", "q"])[1]
            assert f"  {stop}" in printed.split("(unjit) ")[2]
    assert "where?" in session(uses, 2, commands=["b First.", "q"])[1]


def test_an_offset_and_until():
    stop = answers(["b GET_ITER", "c"], 2)[1]
    offset = int(stop.split("-> ")[1].split()[0])
    assert f"@{offset}\n" in answers([f"b @{offset}", "c"], 2)[1]
    assert f"@{offset}\n" in answers([f"until @{offset}"], 2)[0]
    line = line_of("return total")
    assert f"| {line:3}  return total" in answers([f"until {line}"], 2)[0]
    assert "no instruction" in answers(["b @1"], 2)[0]
    assert "no instruction" in answers(["b 1"], 2)[0]
    assert "no breakpoint: " in answers([f"b {line}, a +"], 2)[0]
    assert "where?" in answers(["b ?"], 2)[0]
    assert "1: function GET, as no operation is called so\n" in answers(["b GET"], 2)[0]
    assert "1: instruction IMPORT_NAME\n" in answers(["b IMPORT_NAME"], 2)[0], "which another function has"


def test_locals_cells_stack_and_handler():
    line = line_of("total += twice")
    first = answers([f"b {line}, i == 1", "c", "locals", "cells", "handler", "stack"], 3)
    assert "  count = 3\n" in first[2]
    assert "  i = 1\n" in first[2]
    assert "total = " in first[3]
    assert "(own)" in first[3]
    assert "an exception here goes to @" in first[4]
    assert "0: iter(range(count))" in first[5]
    if "torch" not in sys.modules:
        assert "values unreadable here: torch is not imported" in first[5]


def test_the_locals_of_a_class_body():
    def makes(x):
        class Made:
            kept = x

        return Made

    printed = session(makes, 3, commands=["b Made", "c", *["n", "locals"] * 30, "c"])[1]
    assert "  kept = 3\n" in printed


def test_run_to_an_exception():
    printed = answers(["exc", "p i, start", "stack"], 3)
    assert "-- ZeroDivisionError in adds: " in printed[0]
    assert "//" in printed[0]
    assert printed[1] == "(0, 2)\n"
    assert "values unreadable here: the instruction has failed" in printed[2] or "1" in printed[2]


def test_frames_up_and_down():
    printed = answers(["b twice", "c", "u", "p i", "stack", "d", "p x", "d", "r", "p i"], 3)
    assert "> adds at " in printed[2]
    assert printed[3] == "1\n"
    assert "the frame waits for a call" in printed[4]
    assert printed[6] == "1\n"
    assert printed[7] == "there is no such frame\n"
    assert "-- twice returns 2" in printed[8]
    assert printed[9] == "1\n"


def test_conditions_and_clear():
    line = line_of("total += twice")
    printed = answers([f"b {line}", "b", "clear 99", "clear", "b"], 3)
    number = printed[1].split(":")[0]
    assert printed[2] == "0 taken away\n"
    assert printed[3] == "1 taken away\n"
    assert printed[4] == "  (none)\n"
    assert number.isdigit()
    assert "there is no breakpoint 99" in answers(["condition 99 i"], 3)[0]


def test_breakpoints_are_numbered_from_one_in_each_session():
    for _ in range(2):
        printed = answers([f"b {line_of('total = inner')}", "cl 1", "b twice"], 1)
        assert (printed[0][:2], printed[2][:2]) == ("1:", "2:")  # a number that was cleared is not given again


def test_a_condition_that_raises_stops_and_says_why():
    line = line_of("total = inner")
    printed = answers([f"b {line}, nobody > 1", "c", "condition 1 i == 1", "c", "p i", "q"], 3)
    assert printed[1].startswith("-- the condition of breakpoint 1 raised NameError: name 'nobody' is not defined\n>")
    assert "raised" not in printed[3]
    assert printed[4] == "1\n"


def test_mistakes_at_the_prompt_are_told():
    printed = answers(["p nothing", "pp [1, 2]", "nonsense +", "! y = 1", "until x", "p", "until @1", "b @"], 1)
    assert printed[0].startswith("*** NameError")
    assert printed[1] == "[1, 2]\n"
    assert printed[2].startswith("*** SyntaxError")
    assert printed[4].startswith("until what?")
    assert printed[5].startswith("print what?")
    assert printed[6] == "no instruction of adds starts at 1\n"
    assert "where?" in printed[7]
    assert "which?" in answers(["condition"], 1)[0]
    assert answers(["l 3"], 1)[0].startswith("list what?")
    for typed, says in {"until ²": "until what?", "until @²": "until what?", "b ²": "no breakpoint: where?"}.items():
        assert answers([typed], 1)[0].startswith(says)  # Python calls that a digit, and makes no number of it


def test_for_a_command_that_only_pdb_has_another_is_told():
    printed = answers(["tbreak 3", "args", "ll", "whatis total", "display total", "ll = 1", "ll", "ll [0]", "a + 1"], 1)
    assert printed[0] == "*** there is no tbreak here: `break`, and `clear` when it was met\n"
    assert printed[1] == "*** there is no args here: `locals` shows the arguments too\n"
    assert printed[2] == "*** there is no ll here: `list all` shows the whole function\n"
    assert [one.startswith("*** there is no ") for one in printed[3:5]] == [True, True]
    assert printed[5:7] == ["", "1\n"]  # a variable is one
    assert [one.startswith(("*** TypeError", "*** NameError")) for one in printed[7:9]] == [True, True]


def test_what_fails_in_a_variable_of_such_a_name_is_told():
    printed = answers(["class Odd: __repr__ = lambda self: 1 / 0", "rv = Odd()", "rv"], 1)
    assert printed[2].startswith("*** ZeroDivisionError")


def test_statements_set_names_of_the_prompt_and_say_that_the_frame_keeps_its_own():
    typed = ["more = count + 1", "p more", "count = 9", "p count", "for i in range(2): print(i)", "s", "p more"]
    printed = answers([*typed, "c"], 2)
    assert printed[1] == "3\n"
    assert printed[2] == "*** count stays as it is in the frame: stepping changes nothing that runs\n"
    assert printed[3] == "2\n"
    assert "SyntaxError" not in printed[4]
    assert printed[6] == "3\n"


def test_a_variable_that_is_called_as_a_command_is_a_variable():
    def named(x, n, b):
        return x + n + b

    typed = ["x", "n + 1", "n = 3", "b.real", "b == 3", "s [0]", "q()"]
    result, printed = session(named, 1, 2, 3, commands=typed)
    assert result == 6
    printed = printed.split("(unjit) ")[1:]
    assert printed[:2] == ["1\n", "3\n"]
    assert "n stays as it is" in printed[2]
    assert printed[3:5] == ["3\n", "True\n"]
    assert printed[5].startswith("*** NameError")
    assert printed[6] == ""  # that is no variable: it quits


def test_who_leaves_python_at_the_prompt_leaves_the_prompt_alone():
    for typed in ("exit()", "exit", "raise SystemExit", "p exit(3)"):
        assert session(twice, 3, commands=[typed])[0] == 6


class Leaves:
    def __repr__(self):
        raise SystemExit(3)


def test_a_value_whose_repr_leaves_python_is_told_and_leaves_nothing():
    def gives(x):
        return [x]

    (result,), printed = session(gives, Leaves(), commands=["locals", "stack", "r"])
    assert isinstance(result, Leaves)
    assert "x = <Leaves whose repr raised SystemExit>\n" in printed
    assert "-- gives returns <list whose repr raised SystemExit>\n" in printed


class Broken(io.StringIO):
    def readline(self, *_size):
        raise OSError("gone")

    write = readline


@pytest.mark.parametrize("output", [io.StringIO(), Broken()])
def test_a_terminal_that_is_gone_ends_the_stepping_alone(output):
    with Stepper(twice.__code__, Broken(), output) as stepper:
        assert twice(3) == 6
    assert stepper.has_quit
    assert isinstance(output, Broken) or "*** stepping ends: OSError: gone\n" in output.getvalue()


def test_an_expression_alone_is_shown_and_leaves_no_underscore():
    assert answers(["[count]"], 3)[0] == "[3]\n"
    assert not hasattr(builtins, "_")


def test_expressions_see_the_frame_in_comprehensions_too():
    line = line_of("total += twice")
    assert answers(["p [count for _ in range(2)]"], 3)[0] == "[3, 3]\n"
    assert answers([f"b {line}, any(i == wanted for wanted in [2])", "c", "p i"], 3)[2] == "2\n"


def test_a_condition_that_is_no_expression_changes_nothing():
    typed = [f"b {line_of('total += twice')}, i == 2", "condition 1 )(", "c", "p i"]
    printed = answers(typed, 3)
    assert printed[1].startswith("no condition: ")
    assert printed[3] == "2\n"


def test_help_knows_the_short_names():
    assert answers(["help b"], 1)[0].startswith("b(reak) [LINE")


def test_the_stack_of_a_frame_that_is_not_stepped_is_not_called_empty():
    assert answers(["u", "stack"], 1)[1] == "this frame is not stepped: what is on its stack is not known\n"

