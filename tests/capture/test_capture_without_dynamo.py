"""A capture of what Inductor compiles without Dynamo: by AOTInductor, and where a program calls it."""

from __future__ import annotations

import json

import pytest
import torch
import torch._inductor

import unjit
from needs import since
from toys import needs_compiler
from unjit.capturing.collecting.outside import Outside
from unjit.directory.files import MemoryFiles

pytestmark = pytest.mark.usefixtures("nothing_compiled")
LOGGED = {"ir_pre_fusion", "fusion", "ir_post_fusion"}


class Waves(torch.nn.Module):
    def forward(self, x):
        return x.sin() * 2 + 1


def aot_inductor(folder):
    exported = torch.export.export(Waves(), (torch.ones(4),))
    package = torch._inductor.aoti_compile_and_package(exported, package_path=str(folder / "waves.pt2"))
    return torch._inductor.aoti_load_package(package)


def inductor(_folder):
    return torch._inductor.compile(torch.fx.symbolic_trace(Waves()), [torch.ones(4)])


@needs_compiler
@pytest.mark.parametrize("compiled", [aot_inductor, inductor])
def test_its_texts_are_kept_and_nothing_is_lost(compiled, tmp_path):
    out, given = tmp_path / "out", torch.linspace(-1, 1, 4)
    with unjit.capture(out):
        found = compiled(tmp_path)(given)
    torch.testing.assert_close(found, Waves()(given))
    index = json.loads((out / "index.json").read_text())
    assert index["losses"] == []
    assert sorted(index["outside"]) == sorted(f"outside_of_compiles/{one.name}" for one in out.glob("outside_*/*"))
    assert {f"outside_of_compiles/{kind}.txt" for kind in LOGGED} <= set(index["outside"])
    text = (out / "index.md").read_text()
    if not since("2.15"):  # whose export describes its inputs as those of a compile
        assert "Dynamo compiled nothing." in text
    assert "[outside_of_compiles/fusion.txt](outside_of_compiles/fusion.txt)" in text
    assert list(unjit.load(out).data.outside) == index["outside"]


def test_lines_of_a_log_are_one_text():
    files = MemoryFiles()
    outside = Outside(files, str.upper)
    for kind, text in (("fusion", "a"), ("fusion", "b"), ("ir_post_fusion", "c"), ("empty", ""), ("fusion", "d")):
        outside.take(kind, text)
    outside.finish()
    assert [(path, files.read(path)) for path in outside.paths] == [
        ("outside_of_compiles/fusion.txt", "A\nB\n"),
        ("outside_of_compiles/ir_post_fusion.txt", "C"),
        ("outside_of_compiles/fusion_1.txt", "D\n"),
    ]


def test_what_a_cache_answered_is_kept_without_the_key_which_is_another_in_each_run():
    files = MemoryFiles()
    outside = Outside(files, str)
    outside.take("aotautograd_cache_miss", json.dumps({"cache_state": "miss", "key": "abc", "components": []}))
    (path,) = outside.paths
    assert json.loads(files.read(path)) == {"cache_state": "miss"}
