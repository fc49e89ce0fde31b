"""A backend that cuts Dynamo's graph into pieces and compiles each, as vLLM's does: many graphs in one compile."""

from __future__ import annotations

import json

import pytest
import torch
from torch._inductor.compile_fx import compile_fx
from torch.fx.passes.split_module import split_module

import unjit
from toys import needs_compiler
from unjit.capturing.collecting.naming import Namer
from unjit.capturing.reading.replays import AOT_HIT, replayed
from unjit.compat.depyf.writer import files
from unjit.model import Unknown
from unjit.model.pieces import half_of, without_number

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


def test_a_hit_of_one_piece_says_nothing_of_the_graphs_of_another():
    first = ["dynamo_output_graph", "aotautograd_cache_miss", "aot_inference_graph", "inductor_output_code"]
    second = ["aot_forward_graph_fw_metadata", "aot_inference_graph", "fx_graph_runnable", "fx_graph_cache_hit"]
    assert replayed(AOT_HIT, [*first, *second]) == [4, 5]


@pytest.mark.parametrize(
    ("name", "half", "plain"),
    [
        ("forward", "forward", "forward"),
        ("forward_1", "forward_1", "forward"),
        ("inference_12_post_grad_after", "inference_12", "inference_post_grad_after"),
        ("aot_metadata_1", None, "aot_metadata"),
        ("forwarded_1", None, "forwarded"),
    ],
)
def test_the_name_of_a_text_tells_of_which_piece_it_is(name, half, plain):
    assert half_of(name) == half
    assert without_number(name) == plain


def cut_at_sines(graph, inputs):
    part, parts = 0, {}
    for node in graph.graph.nodes:
        parts[node] = part
        part += node.target in ("sin", torch.sin)
    whole = split_module(graph, None, parts.get, keep_original_order=True)
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
