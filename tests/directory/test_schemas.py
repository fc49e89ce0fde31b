"""The published JSON Schemas: they are what the model says, and real captures fit them."""

from __future__ import annotations

import json

import jsonschema
import pytest
import torch

import unjit
from unjit.cli import main
from unjit.directory.schemas import KINDS, generated, published


@pytest.mark.smoke
@pytest.mark.parametrize("name", KINDS)
def test_the_published_schemas_are_those_of_the_model(name):
    assert published(name) == generated(name), "the model has changed: run python -m unjit.directory.schemas"


def fits(name, data):
    schema = json.loads(published(name))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(data)


@pytest.mark.parametrize("name", ["index", "run", "function", "compile", "entry"])
def test_every_file_of_a_capture_fits(awkward, name):
    files = sorted(awkward.directory.rglob(f"{name}.json"))
    assert files
    for file in files:
        fits(name, json.loads(file.read_text()))


def test_a_report_fits(awkward):
    fits("report", awkward.data.report.to_dict())


def test_a_capture_that_has_not_ended_fits(tmp_path):
    with unjit.capture(tmp_path / "out"):
        torch.compile(lambda x: x + 1, backend="eager")(torch.ones(2))
        fits("index", json.loads((tmp_path / "out" / "index.json").read_text()))


@pytest.mark.parametrize(
    "change",
    [
        {"schema": 1},
        {"finished": "yes"},
        {"functions": [{"key": "f"}]},
        {"losses": [None]},
        {"more": 1},
    ],
)
def test_what_does_not_fit_is_refused(awkward, change):
    index = json.loads((awkward.directory / "index.json").read_text())
    with pytest.raises(jsonschema.ValidationError):
        fits("index", {**index, **change})


def test_the_command_prints_a_schema(capsys):
    assert main(["schema"]) == 0
    assert json.loads(capsys.readouterr().out)["title"] == "index.json of a directory that unjit wrote"
    assert main(["schema", "entry"]) == 0
    assert "GuardNode" in json.loads(capsys.readouterr().out)["$defs"]
    with pytest.raises(SystemExit) as refused:
        main(["schema", "nothing"])
    assert refused.value.code == 2
