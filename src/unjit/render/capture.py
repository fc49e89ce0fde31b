"""The texts that a capture begins with: its index, and the heads of its files."""

from __future__ import annotations

from collections.abc import Iterator

from unjit.model import CACHED, IN_FILE, Artifact, Capture, CapturedCompile, Code, Function, Unknown
from unjit.render.compiles import breaks_of
from unjit.render.entries import proof_of
from unjit.render.outline import count, fact
from unjit.render.places import where
from unjit.render.run import break_lines, recompile_lines
from unjit.render.summary import state

# What a reader may want to know of a file, by its name without the half of the graph; in the order of reading.
_MEANING = {
    "captured": "the graph that Dynamo captured",
    "pre_grad_before": "the graph before Inductor's passes",
    "pre_grad_after": "the graph after them",
    "joint": "forward and backward in one graph",
    "joint_passes_before": "the same before passes on it",
    "joint_passes_after": "the same after them",
    "forward": "the forward graph",
    "backward": "the backward graph",
    "inference": "the graph, no gradients needed",
    "post_grad_before": "the graph before lowering",
    "post_grad_after": "the graph that was lowered",
    "ir_before_fusion": "Inductor's operations, before fusion",
    "fusion": "what Inductor considered fusing, and why or why not",
    "ir_after_fusion": "Inductor's kernels to be",
    "output_code": "the code that runs: the wrapper and its kernels",
    "runnable": "a program that compiles this graph alone",
    "provenance": "which kernel came from which operation",
    "kernel_stacks": "which kernel came from which line",
    "guards": "the conditions under which it may run",
    "aot_metadata": "what is saved for backward, aliased and mutated",
    "aot_runtime_wrapper": "what AOTAutograd does around the graph",
}
_HALVES = ("forward_", "backward_", "inference_", "graph_")


def index_text(capture: Capture) -> str:
    """index.md: what was compiled, and where to read on."""
    report = capture.report
    lines = [f"# What torch.compile did (torch {report.torch_version}, Python {report.python_version})", ""]
    if not capture.finished:
        lines += ["The program has not ended, or ended without a word: what it had come to at its end is missing.", ""]
        lines += ["What had been compiled is in `functions`.", ""] if not report.functions else []
    elif not report.functions:
        lines += ["Nothing was compiled" + (" here: see the other processes." if capture.processes else "."), ""]
    for function in report.functions:
        lines += [*_function(function, capture), ""]
    lines += _block("Graph breaks", list(break_lines(report))[1:])
    lines += _block("Recompiles", list(recompile_lines(report))[1:])
    lines += _section("Other processes", [f"[{name}](processes/{name}/index.md)" for name in capture.processes])
    lines += _section("What was lost", list(map(str, report.losses)))
    lines += _section("Records of torch's trace that are not kept as such", list(map(str, capture.left_out)))
    return "\n".join(lines).rstrip() + "\n"


def transformed_text(code: Code) -> str:
    """transformed.py: what runs in place of a function, with the verdict on the source."""
    return f"# {code.verdict}: {' '.join(proof_of(code).split())}\n{code.source.rstrip()}\n"


def _section(title: str, lines: list[str]) -> list[str]:
    return [f"## {title}", "", *(f"- {_escaped(line)}" for line in lines), ""] if lines else []


def _block(title: str, lines: list[str]) -> list[str]:
    return [f"## {title}", "", "```text", *lines, "```", ""] if lines else []


def _escaped(text: str) -> str:
    """Names in angle brackets would be taken for tags."""
    return text.replace("<", "&lt;")


def _function(function: Function, capture: Capture) -> Iterator[str]:
    yield f"## {function.key}"
    yield ""
    what = f"the rest of {function.resume.of}, from {where(function.resume.place)}" if function.resume else "a function"
    yield _escaped(f"{what}, defined in {function.place.file}:{fact(function.place.line)}; {_numbers(function)}")
    for compile_ in capture.compiles:
        if compile_.function == function.key:
            yield ""
            yield from _compile(compile_, function)


def _numbers(function: Function) -> str:
    if not function.entries:
        return f"no cache entries: {state(function)}"
    entries = count(len(function.entries), "cache entry", "cache entries")
    breaks = breaks_of(function.compiles)
    return entries + (f", {count(breaks, 'graph break')}" if breaks else "")


def _compile(compile_: CapturedCompile, function: Function) -> Iterator[str]:
    hits = [f"{one.cache} cache {one.result}" for one in compile_.caches if one.result != "miss"]
    outcome = ", ".join([fact(compile_.compile.outcome), *hits])
    yield _escaped(f"### {function.key}, compile {compile_.number}: {outcome}, entered from {where(compile_.entered)}")
    yield ""
    entry = next((one for one in function.entries if one.compile_id == compile_.compile.compile_id), None)
    if entry is not None and not isinstance(entry.code, Unknown):
        yield f"- [transformed.py]({compile_.path}/transformed.py): what runs in its place ({entry.code.verdict})"
    last = max((one.attempt for one in compile_.artifacts), default=0)
    for artifact in compile_.artifacts:
        counts = artifact.attempt == last or artifact.origin == "dynamo_graph_break_reason"
        if counts and artifact.suffix != ".json":
            yield _artifact(artifact)
    if last:
        yield f"- Dynamo began anew {count(last, 'time')}: attempt_0 … hold what it had made"


def meaning(artifact: Artifact) -> str:
    """What a reader may want to know of a file; empty where its name says it."""
    name = artifact.name.removeprefix(CACHED)
    plain = next((name.removeprefix(half) for half in _HALVES if name.startswith(half)), name)
    said = _MEANING.get(name) or _MEANING.get(plain) or ""
    return f"{said or name}, as torch's cache had it" if artifact.name.startswith(CACHED) else said


def _artifact(artifact: Artifact) -> str:
    name = f"{artifact.name}{artifact.suffix}"
    said = f": {meaning(artifact)}" if meaning(artifact) else ""
    if isinstance(artifact.text, Unknown) and artifact.text != IN_FILE:
        return f"- {name}{said}, left out: {artifact.text.reason}"
    return f"- [{name}]({artifact.path}){said}"
