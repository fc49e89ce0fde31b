"""The parts of a capture that need no compile: names, times, and texts that are the same in each run."""

from __future__ import annotations

import io
import json
import sysconfig

import pytest
import torch

from unjit.capturing.collecting.naming import Namer, kind_of
from unjit.capturing.reading.phases import Timeline
from unjit.directory import stable
from unjit.directory.files import DiskFiles, MemoryFiles
from unjit.directory.stable import Stabiliser
from unjit.model import Abbreviation, FilePath, Name, Place, Term, UserSource
from unjit.model.places import is_of_the_program
from unjit.torch_private.compiled_graphs.graphs import as_runnable

FOLDERS = [("<tmp>", "/tmp"), ("<home>", "/root"), ("<program>", "/root/project")]
STABLE = Stabiliser(Abbreviation(Term(word), FilePath(folder)) for word, folder in FOLDERS)


@pytest.mark.parametrize(
    ("path", "short"),
    [
        ("/root/project/train.py", "<program>/train.py"),
        ("/root/other.py", "<home>/other.py"),
        ("/data/tmp/x.py", "/data/tmp/x.py"),
        ("/tmpfs/x.py", "/tmpfs/x.py"),
        ("/root-2/x.py", "/root-2/x.py"),
        ("<frozen runpy>", "<frozen runpy>"),
    ],
)
def test_paths_are_abbreviated_and_come_back(path, short):
    assert STABLE.path(path) == short
    assert STABLE.full(short) == path


@pytest.mark.parametrize(
    ("text", "steady"),
    [
        ("__compiled_fn_3_8744d1d7_2e08_4265_a447_06cf14189343(x)", "__compiled_fn_3(x)"),
        ("<function f at 0x7fc2413b8fa0>", "<function f at 0x…>"),
        ("return x\n\n\n # graph id: 140472286602064", "return x"),
        ("x = 0xdeadbeef + 12345678901234", "x = 0xdeadbeef + 12345678901234"),
        ("0/0: ___check_obj_id(f, 94420492187008), type=x", "0/0: ___check_obj_id(f, <id>), type=x"),
        ("Wrapper(compiler='eager') (id=0x7f0119eab650).", "Wrapper(compiler='eager') (id=0x…)."),
        ("___module_iter_139856942813952_c21(a_c2)", "___module_iter_c21(a_c2)"),
        ("__optimizer_139856942813952_140504383885680_c29()", "__optimizer_c29()"),
        ("c = None  # device(type='cpu') torch.int64 () () 7f4d", "c = None  # device(type='cpu') torch.int64 () ()"),
        ("G['_139856922776080_c30'].T is G['_140504383885680_c30'].T", "G['_c30'].T is G['_2_c30'].T"),
    ],
)
def test_texts_lose_what_differs(text, steady):
    assert STABLE.text(text) == steady


@pytest.mark.parametrize("text", [
    "___check_type_id(L['x'], {}), type=<class 'int'>",
    "___check_obj_id(G['f'].__code__, {})",
    "___check_obj_id(list(dict.values(G['d']))[0], {})",
    "not same_object(_, {:#x}, \"<class 'int'>\")",
    "is_instance_of(_, 'Block', {:#x})",
    "___check_obj_id(L['table'][(1, 100000)], {})",
    "___check_type_id(list.__getitem__(L['table'], 100000).rows, {})",
    "___check_type_id(list.__getitem__(L['table'], 100000)[0], {}), type=<class 'int'>",
    "saved_tensors_hooks ids == ({0}, {0})",
    "saved_tensor_hooks_are(({0:#x}, {0:#x}))",
    "__dtensor_spec_{}",
    "___module_iter_{}_c21",
])  # fmt: skip
@pytest.mark.parametrize("address", [10759232, 0x3D1D7B30, 0x7F339BA6A8E0])
def test_addresses_of_any_length_are_left_out(text, address):
    """A Python that is loaded at a fixed place has its own classes, and much else, at addresses of few digits."""
    assert STABLE.guards(text.format(address)) == STABLE.guards(text.format(address + 4096))


@pytest.mark.parametrize("text", [
    "L['x'] == 10759232",
    "L['colour'] == '0xa42c40'",
    "len(L['x']) == 1234567890",
    "L['self'].scaling == 0.3333333333333333",
    "same_value(_, 1732727107123)  # scale = 0.3535533905932738, stamp=1732727107123",
    "return f(x, 1732727107123), 12345678901234.5",
])  # fmt: skip
def test_numbers_of_the_program_stay(text):
    assert STABLE.guards(text) == text


def test_code_reads_the_same_in_its_file_and_among_the_data_of_its_entry():
    text = "# code_constant is the constant <code object inner at 0x7f2ccad1cd10>\nreturn x * 0.3333333333333333"
    assert STABLE.guards(text) == STABLE.text(text)


def test_guards_lose_the_addresses_of_objects():
    text = "ID_MATCH: ___check_obj_id(L['self'], 140472286602064), x == 9223372036854775807\nGuard latency = 3.91 us"
    assert STABLE.guards("same_object(_, 0x7f2ccad1cd10, 'module')") == "same_object(_, <id>, 'module')"
    assert STABLE.guards(text) == "ID_MATCH: ___check_obj_id(L['self'], <id>), x == 9223372036854775807"


def test_guards_lose_the_version_of_a_dict_which_counts_the_changes_of_all_dicts():
    text = "0/0: ___dict_version(f(L['d'])) == 1045107  # if d == 3:"
    assert STABLE.guards(text) == STABLE.value(text) == "0/0: ___dict_version(f(L['d'])) == <id>  # if d == 3:"
    assert STABLE.guards("dict_unchanged(_, 1045107)") == "dict_unchanged(_, <id>)"


def test_sets_of_what_hashes_differently_in_each_run_are_in_one_order():
    text = """k == frozenset({<class 'b'>, 'it\\'s', "a, {b}"}), {2, 1}, {'k': {'z', '<'}}"""
    steady = """k == frozenset({"a, {b}", 'it\\'s', <class 'b'>}), {2, 1}, {'k': {'<', 'z'}}"""
    assert STABLE.guards(text) == STABLE.value(text) == steady
    assert STABLE.text("return x in {'b', 'a'}") == "return x in {'b', 'a'}"


def event(what, name, at):
    return json.dumps({"ph": what, "name": name, "ts": at * 1e6})


def test_phases_lie_within_each_other():
    timeline = Timeline(100.0)
    for what, name, at in [("B", "all", 101), ("B", "part", 102), ("E", "part", 103), ("E", "never", 103)]:
        timeline.take(event(what, name, at))
    assert [(phase.name, phase.start, phase.seconds, phase.depth) for phase in timeline.phases] == [("part", 2, 1, 1)]
    timeline.take(event("B", "lost", 104))
    timeline.take(event("E", "all", 106))
    assert [(phase.name, phase.seconds) for phase in timeline.phases] == [("all", 5), ("part", 1)]


def test_inductors_records_belong_to_the_half_that_waits():
    namer = Namer()
    group = ["fx_graph_runnable", "inductor_post_grad_graph", "inductor_output_code", "fx_graph_cache_miss"]
    kinds = ["aot_joint_graph", "aot_forward_graph", "aot_backward_graph", *group, *group]
    names = [namer.name(kind)[0] for kind in kinds]
    assert names[3:7] == ["forward_runnable", "forward_post_grad_after", "forward_output_code", "forward_cache"]
    assert names[7:] == ["backward_runnable", "backward_post_grad_after", "backward_output_code", "backward_cache"]


def test_without_cache_records_a_kind_that_comes_again_begins_the_next_half():
    namer = Namer()
    group = ["before_post_grad_graph", "inductor_output_code"]
    names = [namer.name(kind)[0] for kind in ["aot_forward_graph", "aot_backward_graph", *group, *group]]
    assert names[2::2] == ["forward_post_grad_before", "backward_post_grad_before"]


class NoInputs(torch.nn.Module):
    def forward(self):
        return torch.ones(2)


def test_a_second_text_of_a_kind_is_numbered():
    namer = Namer()
    assert [namer.name("dynamo_output_graph")[0] for _ in range(2)] == ["captured", "captured_1"]
    assert [namer.name("dynamo_graph_break_reason")[0] for _ in range(2)] == ["break_0", "break_1"]


def test_kinds_of_records():
    assert kind_of({"artifact": {"name": "what", "encoding": "string"}, "frame_id": 0}) == "what"
    assert kind_of({"rank": 0, "dynamo_start": {"stack": []}, "frame_id": 0}) == "dynamo_start"


def test_files_in_memory_and_on_disk_are_alike(tmp_path):
    for files in (MemoryFiles(), DiskFiles(tmp_path / "top")):
        files.write("a/b/c.txt", "é\n")
        files.write("a/d.txt", "d")
        files.rename("a/d.txt", "a/e/d.txt")
        files.remove("a/no.txt")
        assert files.read("a/b/c.txt") == "é\n"
        assert files.read("a/d.txt") is None
        assert files.folders("a") == ["b", "e"]
        assert files.losses == []


def test_the_program_of_a_graph_with_a_graph_in_it_compiles():
    program = "class Repro:\n    def __init__(self):\n        self.true_graph_0 = <lambda>()\n"
    runnable = as_runnable(program)
    compile(runnable, "runnable.py", "exec")
    assert "# torch's program does not have what is in <lambda>()" in runnable


def test_the_program_of_a_graph_without_inputs_compiles():
    from torch._dynamo.repro.after_aot import save_graph_repro
    from torch.fx import symbolic_trace

    text = io.StringIO()
    save_graph_repro(text, symbolic_trace(NoInputs()), [], "inductor", save_dir=None)
    compile(as_runnable(text.getvalue()), "runnable.py", "exec")


def test_torch_in_another_folder_than_the_programs_packages_has_a_word_of_its_own(monkeypatch):
    monkeypatch.setattr(sysconfig, "get_path", lambda name: f"/environment/{name}")
    folders = {str(one.word): str(one.folder) for one in stable.folders_of_this_machine()}
    assert folders["<packages>"] == "/environment/purelib"
    assert f"{folders['<site-packages>']}/torch/__init__.py" == torch.__file__
    known = Stabiliser(stable.folders_of_this_machine())
    for file in (torch.__file__, "/environment/purelib/einops/einops.py"):
        short = known.path(f"{file}'")[:-1]
        assert known.full(short) == file
        assert not Place(FilePath(short), 1, Name("f"), UserSource("")).is_of_the_program


def test_what_a_library_generates_has_no_addresses_in_it():
    file = "<@beartype(__main__.attend) at 0x7f8b2b83ae80>"
    assert STABLE.path(file) == "<@beartype(__main__.attend) at 0x…>"
    assert not is_of_the_program(file)
    names = "LOAD_FAST (__beartype_object_94197353455888) LOAD_FAST (__beartype_object_94197353455999)"
    assert STABLE.text(names) == "LOAD_FAST (__beartype_object) LOAD_FAST (__beartype_object_2)"
    assert STABLE.path("/elsewhere/at 0x12>") == "/elsewhere/at 0x12>"
