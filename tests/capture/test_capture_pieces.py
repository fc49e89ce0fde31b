"""A backend that cuts Dynamo's graph into pieces and compiles each, as vLLM's does: many graphs in one compile."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import torch
from torch._inductor.compile_fx import compile_fx
from torch.fx.passes.split_module import split_module

import unjit
from browser import browser, needs_chromium, opened
from toys import needs_compiler
from unjit.capturing.collecting.naming import Namer
from unjit.capturing.reading.replays import AOT_HIT, replayed
from unjit.compat.depyf.writer import files
from unjit.model import Unknown
from unjit.model.captured.pieces import half_of, number_in, without_number
from unjit.render.captures.parts import part_of
from unjit.torch_private.compiled_graphs.inductor_graph import InductorGraph

FORWARD = "aot_forward_graph"
BACKWARD = "aot_backward_graph"


def names_of(*kinds):
    namer = Namer()
    return [str(namer.name(kind)[0]) for kind in kinds]


def test_what_is_made_of_a_piece_is_named_after_its_graph():
    inductor = ("fx_graph_runnable", "inductor_output_code", "fx_graph_cache_miss")
    made = names_of("aot_inference_graph", *inductor, "aot_inference_graph", *inductor)
    assert made[4:] == ["inference_1", "inference_1_runnable", "inference_1_output_code", "inference_1_cache"]


def test_backward_graphs_of_pieces_wait_for_the_run_which_begins_with_the_last():
    code = ("inductor_output_code", "fx_graph_cache_miss")
    made = names_of(FORWARD, BACKWARD, *code, FORWARD, BACKWARD, *code, *code, *code)
    written = [name for name in made if name.endswith("_output_code")]
    assert written == [
        "forward_output_code",
        "forward_1_output_code",
        "backward_1_output_code",
        "backward_output_code",
    ]


def test_where_torch_numbers_its_graphs_backward_graphs_need_no_order():
    namer = Namer()
    made = []
    for kind in (FORWARD, BACKWARD):
        namer.name(kind)
    made.append(namer.name("inductor_output_code", InductorGraph(3, False))[0])
    for kind in (FORWARD, BACKWARD):
        namer.name(kind)
    graphs = [InductorGraph(4, False), InductorGraph(3, True), InductorGraph(4, True)]
    made += [namer.name("inductor_output_code", graph)[0] for graph in graphs]
    assert made == [f"{half}_output_code" for half in ("forward", "forward_1", "backward", "backward_1")]
    assert not namer.guessed


def test_a_hit_of_one_piece_says_nothing_of_the_graphs_of_another():
    first = ["dynamo_output_graph", "aotautograd_cache_miss", "aot_inference_graph", "inductor_output_code"]
    second = ["aot_forward_graph_fw_metadata", "aot_inference_graph", "fx_graph_runnable", "fx_graph_cache_hit"]
    assert replayed(AOT_HIT, [*first, *second]) == [4, 5]


@pytest.mark.parametrize(
    ("name", "half", "plain", "number"),
    [
        ("forward", "forward", "forward", ""),
        ("forward_1", "forward_1", "forward", "1"),
        ("inference_12_post_grad_after", "inference_12", "inference_post_grad_after", "12"),
        ("aot_metadata_1", None, "aot_metadata", "1"),
        ("forwarded_1", None, "forwarded", "1"),
    ],
)
def test_the_name_of_a_text_tells_of_which_piece_it_is(name, half, plain, number):
    assert half_of(name) == half
    assert without_number(name) == plain
    assert number_in(name) == number


def split_at_sines(graph):
    part, parts = 0, {}
    for node in graph.graph.nodes:
        parts[node] = part
        part += node.target in ("sin", torch.sin)
    return split_module(graph, None, parts.get, keep_original_order=True)


def cut_at_sines(graph, inputs):
    whole = split_at_sines(graph)
    values = inputs
    for name, piece in list(whole.named_children()):
        given, values = values, [piece(*values)]
        whole._modules.pop(name)
        whole.__dict__[name] = compile_fx(piece, list(given))
    return whole.forward


@needs_compiler
def test_every_piece_of_a_graph_is_kept_under_its_own_name(tmp_path):
    @torch.compile(backend=cut_at_sines)
    def waves(x):
        return (x * 2).sin() - 3

    with unjit.capture(tmp_path / "out", fresh=True) as session:
        waves(torch.ones(4))
    (made,) = session.compiles
    assert [str(one.half) for one in made.kernels] == ["inference", "inference_1"]
    assert not isinstance(made.kernels[1].operations, Unknown)
    folder = tmp_path / "out" / made.path
    assert "NoneType" not in (folder / "inference_1_output_code.py").read_text()
    assert "key" not in json.loads((folder / "aot_cache_1.json").read_text())
    index = (tmp_path / "out" / "index.md").read_text()
    assert "inference_1_output_code.py): the code that runs" in index
    assert len([name for name, _ in files(session.data) if "AFTER_POST_GRAD" in name]) == 2


class Cosine(torch.nn.Module):
    def forward(self, x):
        return x.cos()


def one_beside_the_other(graph, inputs):
    pieces = [torch.fx.symbolic_trace(kind()) for kind in (Sine, Cosine)]
    sine, cosine = (compile_fx(piece, [given]) for piece, given in zip(pieces, inputs, strict=True))
    return lambda x, y: (sine(x), cosine(y))


@needs_compiler
def test_backward_graphs_that_run_in_another_order_are_told_by_their_numbers(tmp_path):
    @torch.compile(backend=one_beside_the_other)
    def both(x, y):
        return x.sin(), y.cos()

    with unjit.capture(tmp_path / "out", fresh=True) as session:
        first, second = both(torch.ones(4, requires_grad=True), torch.ones(4, requires_grad=True))
        first.sum().backward()
        second.sum().backward()
    assert ".cos." in session.text("both", 0, "backward_post_grad_before")
    assert ".sin." in session.text("both", 0, "backward_1_post_grad_before")
    assert not session.data.report.losses


class Sine(torch.nn.Module):
    def forward(self, x):
        return x.sin()


class Sines(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = Sine(), Sine()

    def forward(self, x):
        x = self.first(x * 2)
        return self.second(x - 3) + 1


@needs_compiler
def test_of_each_piece_it_is_said_which_part_of_the_graph_it_is(tmp_path):
    with unjit.capture(tmp_path / "out", fresh=True) as session:
        torch.compile(Sines(), backend=cut_at_sines)(torch.ones(4))
    (made,) = session.compiles
    parts = {str(one.name): part_of(one, made) for one in made.artifacts}
    line = Sine.forward.__code__.co_firstlineno + 1
    below = Sines.forward.__code__.co_firstlineno + 2
    assert parts["captured"] == ""
    assert parts["inference"] == f"module L['self'].first, test_capture_pieces.py:{line}-{below - 1}"
    assert parts["inference_1"] == f"module L['self'].second, test_capture_pieces.py:{line}-{below}"
    assert ": the graph, no gradients needed, of module L['self'].second" in (tmp_path / "out" / "index.md").read_text()
    assert f"L['self'].first, {Path(__file__).name}:{line}" in session.report().html


class Blocks(torch.nn.Module):
    """Each piece but the first takes from the one before what another module has made."""

    def __init__(self):
        super().__init__()
        self.scale, self.blocks = Scale(), torch.nn.ModuleList([Block(), Block()])

    def forward(self, x):
        x = self.scale(x)
        for block in self.blocks:
            x = x + block(x)
        return x


class Scale(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.factor = torch.nn.Parameter(torch.ones(4))

    def forward(self, x):
        return x * self.factor


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.before, self.after = Scale(), Scale()

    def forward(self, x):
        return self.after(self.before(x).sin())


def cut_at_sines_with_inputs_of_many_pieces(graph, inputs):
    whole = split_at_sines(graph)

    class Compiling(torch.fx.Interpreter):
        def call_module(self, target, args, kwargs):
            piece = getattr(whole, target)
            whole._modules.pop(target)
            whole.__dict__[target] = compile_fx(piece, list(args))
            return piece(*args)

    Compiling(whole).run(*inputs)
    return whole.forward


@needs_compiler
def test_what_a_piece_takes_from_others_is_not_of_its_modules(tmp_path):
    with unjit.capture(tmp_path / "out", fresh=True) as session, torch.no_grad():
        torch.compile(Blocks(), backend=cut_at_sines_with_inputs_of_many_pieces)(torch.ones(4))
    (made,) = session.compiles
    told = {str(one.name): part_of(one, made).partition(", ")[0] for one in made.artifacts}
    spelled = re.compile(r"L\['self'\]\.|_modules\['|'\]")  # older versions of torch go through the dicts of modules
    of = {name: spelled.sub("", part) for name, part in told.items()}
    for stage in ("pre_grad_before", "inference"):
        assert of[stage] == "modules scale … blocks.0.before"
        assert of[f"{stage}_1"] == "modules blocks.0.after … blocks.1.before"
        assert of[f"{stage}_2"] == "module blocks.1.after"


@needs_compiler
def test_ranks_are_compared_in_what_inductor_made_of_later_pieces_too(tmp_path):
    for rank in range(2):
        torch._dynamo.reset()
        folder = tmp_path / "processes" / f"rank_{rank}"
        with torch._inductor.config.patch({"cpp.enable_kernel_profile": rank == 1}), unjit.capture(folder, fresh=True):
            torch.compile(Sines(), backend=cut_at_sines)(torch.ones(4))
    differing = {str(name) for one in unjit.merge(tmp_path).differences for name in (one.name, *one.follows)}
    assert {"inference_output_code.py", "inference_1_output_code.py"} <= differing


@needs_chromium
def test_the_page_has_a_button_for_each_stage_and_a_choice_of_the_piece(tmp_path):
    @torch.compile(backend=cut_at_sines)
    def waves(x):
        x = (x * 2).sin()
        x = (x - 3).sin()
        return x + 1

    with unjit.capture(tmp_path / "out", fresh=True):
        waves(torch.ones(4))
    with browser() as chromium, opened(chromium, tmp_path / "out" / "report.html") as page:
        page.wait_for_selector("html[data-ready]")
        stages, pieces = page.locator("#stages button"), page.locator("#piece")
        assert len(set(stages.all_inner_texts())) == stages.count()
        assert not pieces.is_visible()
        page.locator("details.file .row", has_text="x = (x - 3).sin()").get_by_role("button").click()
        stages.filter(has_text="output code").click()
        assert pieces.input_value() == "inference_1_output_code"
        line = waves.__wrapped__.__code__.co_firstlineno + 3
        assert f"inference_1_output_code: {Path(__file__).name}:{line}" in pieces.inner_text()
        stages.filter(has_text="ir before fusion").click()
        assert pieces.input_value() == "inference_1_ir_before_fusion"
        assert pieces.locator("option").count() == 3
        pieces.select_option("inference_ir_before_fusion")
        assert page.locator("#pane").get_attribute("data-shown").endswith("/inference_ir_before_fusion")
        page.locator("#graphs").scroll_into_view_if_needed()  # it is drawn when it comes in sight
        graphs = page.locator(".graph-stages button")
        graphs.first.wait_for()
        assert len(set(graphs.all_inner_texts())) == graphs.count()
        graphs.filter(has_text="inference").first.click()
        page.get_by_label("Which piece of the graph").select_option(label="inference_2")
        assert graphs.filter(has_text="inference").first.get_attribute("aria-pressed") == "true"
        assert "3 nodes" in page.locator(".graph-says").inner_text()
