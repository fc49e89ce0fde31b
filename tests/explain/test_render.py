"""Text and page: what is collapsed, what is hidden and said to be, what is escaped."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from html.parser import HTMLParser

import pytest
import torch
import torch._dynamo

import unjit
from needs import refused_before, since
from unjit.model import (
    Compile,
    CompileId,
    Expression,
    FailedGuard,
    FilePath,
    Generated,
    GraphBreak,
    Guard,
    GuardNode,
    Guards,
    Message,
    Name,
    Place,
    Term,
    Unknown,
    UserSource,
)
from unjit.model.words.sources import as_written
from unjit.model.words.unique_names import short_names
from unjit.observe.guards.printed import readable, take_apart
from unjit.observe.messages.failed_guards import failed_guard
from unjit.render.captures.happened import Happened
from unjit.render.forms.outline import Source
from unjit.render.forms.places import where
from unjit.render.forms.text import _lines
from unjit.render.functions.compiles import compile_items
from unjit.render.functions.guards import guards_section


def shown(item):
    return "\n".join(_lines((item,), 0))


@pytest.mark.skipif(not since("2.9"), reason="this torch adds no scaffolding")
def test_scaffolding_of_real_code():
    torch._dynamo.reset()
    compiled = torch.compile(lambda x: x * 2, backend="eager")
    compiled(torch.ones(2))
    explanation = unjit.explain(compiled)
    whole = unjit.explain(compiled, scaffolding=True)
    assert "record_pregraph_bytecode_enter" in str(whole)
    assert "left out" not in str(whole)
    assert "record_pregraph_bytecode_enter" in whole.entries[0].code.source
    assert "record_pregraph_bytecode_enter" not in str(explanation)
    (left_out,) = re.findall(r"left out of both: (\d+) instructions for torch's profiler", str(explanation))
    assert left_out == "17" or sys.version_info[:2] != (3, 11)  # each Python calls with other instructions
    assert "__compiled_fn_" in str(explanation)


def test_thousands_of_guards_collapse():
    def guard(number, kind, topic):
        subject = Expression(f"x{number}")
        shown = Generated(f"x{number} == {number}")
        return Guard(Term(kind), topic, subject, subject, shown, (), None, None, Unknown("raw"), Unknown("raw"))

    many = tuple(guard(n, "ID_MATCH", "module") for n in range(5000)) + tuple(
        guard(n, "EQUALS_MATCH", "arguments") for n in range(40)
    )
    text = shown(guards_section(Guards(GuardNode(Term("Root"), Expression("L"), Generated("L"), 0, many, ()), ())))
    assert "It runs only if 5,040 guards hold:" in text
    assert "and 28 on x12" in text
    assert "all 5,000 on x0, x1, x2, x3, x4, x5 and 4,994 others: the same objects" in text
    assert len(text.splitlines()) < 20


def test_counted_guards_are_named_by_values_and_not_by_what_is_called():
    def guard(subject):
        text, raw = Expression(subject), Unknown("raw")
        return Guard(Term("ID_MATCH"), "module", text, text, Generated(""), (), None, None, raw, raw)

    guards = tuple(map(guard, ("list(dict.keys(self.h.attn))[0]", "type(model).scale", "self.h[1]")))
    text = shown(guards_section(Guards(GuardNode(Term("Root"), Expression("L"), Generated("L"), 0, guards, ()), ())))
    assert "all 3 on self.h, model: the same objects" in text


@refused_before("2.9", "prints no marks that it asks about where there are none")
def test_marks_that_a_guard_lets_pass_are_not_denied():
    def function(x):
        return x * 2

    compiled, x = torch.compile(function, backend="eager"), torch.ones(4, 3)
    compiled(x.double())
    torch._dynamo.mark_dynamic(x, 0)
    compiled(x)
    entries = unjit.explain(function).report.functions[0].entries
    marked, unmarked = (shown(guards_section(entry.guards)) for entry in entries)
    assert "on x: no other dimension marked dynamic or static" in marked
    assert "on x: no dimension marked dynamic or static" in unmarked


def test_entries_that_fail_alike_are_one_line():
    def recompiled(number):
        size = "tensor 'x' size mismatch at index 0. expected {}, actual 9".format
        guards = [
            FailedGuard(Name(f"0/{at}"), Generated(size(at + 1) if at else "k == 3"), Unknown("torch does not say"))
            for at in reversed(range(number))
        ]
        return Compile(CompileId(0, number), "compiled", (), tuple(guards), None, (), 0.1, Term("eager"))

    same = [FailedGuard(Name(f"0/{at}"), Generated("s == 's0'"), Unknown("torch does not say")) for at in (2, 1, 0)]
    other = [replace(guard, condition=Generated(f"s == 's{at}'")) for at, guard in enumerate(same)]
    for guards, told in ((same, "the same"), (other, "the same with other values")):
        happened = Happened()
        happened.add(Name("g"), Compile(CompileId(0, 3), "compiled", (), tuple(guards), None, (), 0.1, Term("eager")))
        assert happened.recompile_lines()[-1] == f"    0/1 and 0/0 did not fit: {told}"
    happened = Happened()  # the entry that ran last is tried first
    guards = tuple(replace(same[0], entry=Name(f"0/{at}")) for at in (4, 3, 1, 2))
    happened.add(Name("g"), Compile(CompileId(0, 5), "compiled", (), guards, None, (), 0.1, Term("eager")))
    assert happened.recompile_lines()[-1] == "    0/3, 0/1 and 0/2 did not fit: the same"
    happened = Happened()
    for number in (3, 4, 6):
        happened.add(Name("g"), recompiled(number))
    assert [line.strip() for line in happened.recompile_lines()] == [
        "g  [0/3]",
        "0/2 did not fit: tensor 'x' size mismatch at index 0. expected 3, actual 9",
        "0/1 did not fit: tensor 'x' size mismatch at index 0. expected 2, actual 9",
        "0/0 did not fit: k == 3 did not hold",
        "g  [0/4]",
        "0/3 did not fit: tensor 'x' size mismatch at index 0. expected 4, actual 9",
        "0/2 and 0/1 did not fit: the same with other numbers",
        "0/0 did not fit: k == 3 did not hold",
        "g  [0/6]",
        "0/5 did not fit: tensor 'x' size mismatch at index 0. expected 6, actual 9",
        "0/4 to 0/1 did not fit: the same with other numbers",
        "0/0 did not fit: k == 3 did not hold",
    ]


def test_a_break_in_a_library_names_the_lines_of_the_program_that_led_there():
    def place(file, line):
        return Place(FilePath(file), line, Name("f"), UserSource("x"))

    def broke(place, *stack):
        found = GraphBreak(Message("it broke"), place, (*stack, place), None, (), None)
        return Compile(CompileId(0, 0), "compiled", (found,), (), None, (), 0.1, Term("eager"))

    library, mine = place("/usr/lib/python3.11/copy.py", 76), place("/home/me/train.py", 3)
    happened = Happened()
    for compile_ in (broke(library, mine), broke(library, mine), broke(library, place("/home/me/train.py", 5))):
        happened.add(Name("g"), compile_)
    happened.add(Name("g"), broke(mine, place("/home/me/train.py", 9)))
    assert [line.strip() for line in happened.break_lines()] == [
        "it broke  [0/0, 0/0, 0/0]",
        "at copy.py:76 in f: x",
        "called from train.py:3 in f: x",
        "and from train.py:5 in f: x",
        "it broke  [0/0]",
        "at train.py:3 in f: x",
    ]


def test_a_break_that_is_met_again_from_elsewhere_is_told_with_the_calls_alone():
    def compiled(line):
        mine, caller = (Place(FilePath("/home/me/a.py"), k, Name("f"), UserSource("x")) for k in (3, line))
        found = GraphBreak(Message("it broke"), mine, (caller, mine), Message("why"), (Message("do this"),), None)
        return Compile(CompileId(0, 0), "compiled", (found,), (), None, (), 0.1, Term("eager"))

    told = set()
    first, other, again = (list(compile_items(compiled(line), told)) for line in (7, 9, 7))
    assert [section.title for section in (*first, *other)] == [
        "Graph break: it broke",
        "Graph break as above: it broke at a.py:3 in f: x",
    ]
    assert "Hint: do this" in first[0].items
    (calls,) = other[0].items
    assert calls.items == (Source(("a.py:9 in f: x",)),)
    assert again == ["Graph break as above: it broke at a.py:3 in f: x"]


def test_of_calls_of_others_before_the_programs_it_is_told_how_many_they_are():
    mine, others = "/home/me/nb.py", "/usr/lib/python3/site-packages/IPython/shell.py"
    files = [*[others] * 9, mine, others, mine, *[others] * 4]
    stack = tuple(Place(FilePath(file), at, Name("f"), UserSource("x")) for at, file in enumerate(files))
    found = GraphBreak(Message("it broke"), stack[-1], stack, None, (), None)
    (broke,) = compile_items(Compile(CompileId(0, 0), "compiled", (found,), (), None, (), 0.1, Term("eager")), set())
    (calls,) = (item for item in broke.items if not isinstance(item, str))
    assert calls.items[0].lines == (
        "(9 calls outside of the program)",
        "nb.py:9 in f: x",
        "shell.py:10 in f: x",
        "nb.py:11 in f: x",
        *(f"shell.py:{line} in f: x" for line in (12, 13, 14)),
    )


def test_code_of_a_graph_is_named_by_the_graph():
    file = FilePath("<eval_with_key>.5 from /home/me/train.py:25 in <lambda>")
    assert where(Place(file, 4, Name("forward"), UserSource("x"))) == "<eval_with_key>.5:4 in forward: x"


def test_everything_in_the_page_is_escaped():
    torch._dynamo.reset()

    def f(x, tag):
        return x * 2 if tag == "<script>alert('&')</script>" else x

    torch.compile(f, backend="eager")(torch.ones(2), "<script>alert('&')</script>")
    page = unjit.explain(f)._repr_html_()
    tags = set()
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attributes: tags.add(tag)
    parser.feed(page)
    assert tags == {"div", "details", "summary", "p", "pre"}
    assert "&lt;script&gt;" in page


def test_random_parts_of_names_are_left_out():
    assert short_names("__compiled_fn_9_fe8ee37a_49e9_41b2_a70c_df78daba6883(x)") == "__compiled_fn_9(x)"
    assert short_names("__compiled_fn_9(x)") == "__compiled_fn_9(x)"
    assert short_names("__resume_at_94_7_d12ef212_b6ea_4789_9234_1ca3da3d6420(b)") == "__resume_at_94_7(b)"


@pytest.mark.parametrize(
    ("text", "condition", "code"),
    [
        ("L['k'] == 1     # return x * k  # a/b.py:3 in f", "L['k'] == 1", "return x * k"),
        ("L['k'] == 'a  # b'  # y = k  # a/b.py:3 in f", "L['k'] == 'a  # b'", "y = k"),
        ("L['k'] == \"it's\"  # y = '#'  # a/b.py:3 in f", "L['k'] == \"it's\"", "y = '#'"),
        ("2 <= L['a'].size()[0]  # x = a  # b.py:5 in toy (remark (nested))", "2 <= L['a'].size()[0]", "x = a"),
        ("torch ids == None  # _dynamo/output_graph.py:1135 in init_ambient_guards", "torch ids == None", None),
        ("___check_global_state()", "___check_global_state()", None),
    ],
)
def test_printed_guards_are_taken_apart(text, condition, code):
    part = take_apart(text)
    assert (part.condition, part.comment and part.comment.code) == (condition, code)


@pytest.mark.parametrize(
    ("source", "written"),
    [
        ("L['self']._modules['h']._modules['0']._parameters['weight']", "self.h[0].weight"),
        # of a module that a compiled function sets an attribute of, as a counter
        ("L['self'].__dict__['_modules']['h'].__dict__['_buffers']['mean']", "self.h.mean"),
        ("L['self'].__dict__['_modules'] is L['self']._modules", "self.__dict__['_modules'] is self._modules"),
        ("G['torch'].abs", "torch.abs"),
        ("L['d']['key']", "d['key']"),
        ("G['__import_torch_dot_nn_dot_functional'].relu", "torch.nn.functional.relu"),
        ("G['__subclass_Two_Parts_94882906086032_c0'].half", "Two_Parts.half"),
        ("dict(G['P'].__dict__)['__new__'].__func__.__code__", "P.__dict__['__new__'].__func__.__code__"),
        ("G['___unnamed_scope_140235013407872_c0']['_tuple_new']", "globals_of_no_module['_tuple_new']"),
    ],
)
def test_sources_as_the_user_writes_them(source, written):
    assert as_written(source) == written


def test_conditions_in_words():
    tensor = (
        "check_tensor(L['a'], Parameter, DispatchKeySet(CUDA, BackendSelect), torch.float16, device=1, "
        "requires_grad=False, size=[2, None], stride=[None, 1])"
    )
    assert readable("TENSOR_MATCH", tensor) == "a: Parameter float16 on cuda:1, shape (2, any), stride (any, 1)"
    assert readable("ID_MATCH", "___check_obj_id(L['f'], 12), type=<class 'function'>") == "f is the same function"
    assert readable("TYPE_MATCH", "___check_type_id(L['k'], 12), type=<class 'int'>") == "type(k) is int"
    assert readable("LAMBDA", "___check_torch_function_mode_stack()") == "no other torch function mode is active"
    assert readable("DICT_CONTAINS", "not ___dict_contains('k', L['d'])") == "'k' not in d"
    assert readable("DICT_CONTAINS", "___dict_contains('k', L['d'])") == "'k' in d"
    metadata = "its __tensor_flatten__ gives the same metadata"
    assert readable("SUBCLASS_METADATA", "___check_metadata_140659049366848_c0/0") == metadata
    assert readable("", "__dtensor_spec_140127821649120") == "its DTensor spec (mesh, placements) is the same"
    assert readable("NEW_KIND", "something(L['k'])") == "something(k)"


@pytest.mark.parametrize(
    ("condition", "told"),
    [
        ("___check_obj_id(L['f'], 12), type=<class 'function'>", "f is not the same function"),
        ("___check_type_id(L['k'], 12), type=<class 'int'>", "type(k) is int did not hold"),
        ("___check_torch_function_mode_stack()", "other torch function modes are active, or none"),
        ("___check_metadata_140659049366848_c0/0", "its __tensor_flatten__ gives other metadata"),
        ("__dtensor_spec_140127821649120", "its DTensor spec (mesh, placements) is not the same"),
        ("GLOBAL_STATE changed: grad_mode ", "settings of torch differ: grad mode"),
        (
            "GLOBAL_STATE changed: num_threads autocast(cpu)_enabled ",
            "settings of torch differ: num threads, autocast on cpu",
        ),
        (
            "_dynamo_static_indices should be absent but is present on runtime tensor",
            "a tensor has dimensions that mark_static marks, and had none of these",
        ),
        (
            "Cache line invalidated because L['self'].f got deallocated",
            "it was made for one object, self.f, which is gone",
        ),
        ("len(L['kw']) != 1", "len(kw) == 1 did not hold"),
        ("not L['self'].calls", "self.calls was false or empty, and is not now"),
        ("not hasattr(L['k'], 'scale')", "hasattr(k, 'scale') did not hold, and does now"),
        ("not ___dict_contains('k', L['d'])", "'k' in d did not hold, and does now"),
        ("not ___dict_contains(torch.Size([2, 3]), L['d'])", "torch.Size([2, 3]) in d did not hold, and does now"),
        ("___dict_contains(('a', 1), L['self'].d)", "('a', 1) in self.d did not hold"),
        ("___dict_contains('k', L['a, b'])", "'k' in L['a, b'] did not hold"),
        ("L['a'] is not None", "a is None did not hold, and does now"),
        ("not (L['a'] == 1 and L['b'] == 2)", "a == 1 and b == 2 did not hold, and does now"),
        (
            "'NoneType' object has no attribute 'size'",
            "a tensor that is asked for its sizes is not there, such as the base of one that is no view",
        ),
        ("TYPE_MISMATCH(L['kw'])", "kw is of another class"),
        ("KeyError on L['options']['k']", "there is no options['k']"),
        ("CodeGuardAccessor: Not a function on L['fn'].__code__", "fn is no function written in Python"),
        ("getattr failed on source L['fn'].__code__", "fn is no function written in Python"),
        (
            "expected type of 'L['e']' to be a tensor type, ' but found <class 'int'>",
            "expected type of 'e' to be a tensor type, but found <class 'int'>",
        ),
    ],
)
def test_what_did_not_hold_is_not_told_as_if_it_did(condition, told):
    assert failed_guard(f"0/0: {condition}").told == told


def test_of_guards_that_hold_by_now_it_is_told_who_may_have_seen_to_that():
    """Two threads that call at once compile one after the other; torch tells a fault of its own."""
    torchs = "Unexpected recompilation: runtime guards failed even though they passed during recompilation-reason"
    told = failed_guard(f"0/0: {torchs} analysis. Please open an issue with a minimal repro").told
    assert told.startswith("its guards held when torch asked again: another thread had made it by then")


def test_a_break_that_is_explained_otherwise_is_the_same_break():
    place = Place(FilePath("/app/train.py"), 3, Name("f"), UserSource("g(x)"))
    hints = (Message("Avoid it."),)
    happened = Happened()
    for number, kind in enumerate(("int", "str")):
        explanation = Message(f"cannot iterate over {kind}")
        broke = GraphBreak(Message("missing tp_iter"), place, (place,), explanation, hints, None)
        one = Compile(CompileId(0, number), "compiled", (broke,), (), None, (), 0.1, Term("eager"))
        happened.add(Name("f"), one)
    assert list(happened.break_lines())[:1] == ["  missing tp_iter  [0/0, 0/1]"]
    assert len(list(happened.break_lines())) == 3


def wrapper(compiler, dynamic=None):
    return f"_TorchCompileWrapper(compiler={compiler!r}, dynamic={dynamic}) (id=0x7f)"


@pytest.mark.parametrize(
    ("cached", "new", "told"),
    [
        (wrapper("eager"), "_TorchCompileInductorWrapper (id=1)", "eager, and the call was for inductor"),
        (wrapper("mine"), wrapper("mine"), "mine, and the call was for another one called mine"),
        (wrapper("eager", dynamic=True), "mine", "eager with dynamic=True, and the call was for mine"),
        (
            wrapper("functools.partial(<function mine at 0x7f>, tag='a')"),
            "mine",
            "partial of mine, and the call was for mine",
        ),
    ],
)
def test_an_entry_of_another_backend_is_told_by_the_names_of_both(cached, new, told):
    said = (
        "BACKEND_MATCH failure: torch.compile detected different backend callables. Cached backend: "
        f"{cached}. New backend: {new}. If this is unexpected, wrap your backend in functools.partial."
    )
    found = FailedGuard(Name("0/0"), Generated(said), Unknown("torch does not say"))
    assert found.told == f"it was compiled for the backend {told}"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("BACKEND_MATCH failure: torch.compile detected different", "it was compiled for another backend"),
        ("", "torch names no guard that failed, as before torch 2.10 where it was compiled for another backend"),
    ],
)
def test_an_entry_of_another_backend_is_told_where_older_torch_names_none(said, told):
    assert FailedGuard(Name("0/0"), Generated(said), Unknown("torch does not say")).told == told
