"""The files of a capture in words: what each of them is, and the first lines of transformed.py."""

from __future__ import annotations

from unjit.model import CACHED, Artifact, Code
from unjit.model.captured.pieces import without_number
from unjit.render.functions.entries import proof_of

# What a reader may want to know of a file, by its name without that of the graph it is about; in the order of reading.
_MEANING = {
    "recompile": "which guards of the entries before did not hold",
    "break": "why and where the graph ends",
    "error": "what ended the compile, with torch's traceback",
    "side_effects": "what runs after the graph, for what the function does to objects of the program",
    "captured": "the graph that Dynamo captured",
    "ddp_split": "the captured graph as DDP's optimizer cuts it",
    "ddp_split_part": "a part of the graph that DDP's optimizer cut",
    "pre_grad_before": "the graph before Inductor's first passes",
    "pre_grad_after": "the graph after Inductor's first passes",
    "joint": "forward and backward in one graph",
    "forward": "the forward graph, which runs when the function is called",
    "backward": "the backward graph, which runs when gradients are asked for",
    "inference": "the graph, no gradients needed",
    "joint_passes_before": "the inference graph before Inductor's joint graph passes",
    "joint_passes_after": "the inference graph after Inductor's joint graph passes",
    "decompositions": "operations that AOTAutograd took apart, and what stands in their place",
    "post_grad_before": "the graph before Inductor's last passes",
    "post_grad_after": "the graph after Inductor's last passes, which is lowered to kernels",
    "ir_before_fusion": "Inductor's operations, before fusion",
    "fusion": "what Inductor considered fusing, and why or why not",
    "ir_after_fusion": "Inductor's kernels to be",
    "schedule": "which operations each of Triton's kernels runs, in which order",
    "triton_kernels": "of how many configurations of each kernel Triton measured which is fastest",
    "output_code": "the code that runs: the wrapper and its kernels",
    "runnable": "a program that compiles this graph alone",
    "provenance": "which kernel came from which operation",
    "kernel_stacks": "which kernel came from which line",
    "guards": "the conditions under which it may run",
    "aot_metadata": "what is saved for backward, aliased and mutated",
    "aot_runtime_wrapper": "what AOTAutograd does around the graph",
}
_OF_GRAPHS = ("joint_", "forward_", "backward_", "inference_", "graph_")


def transformed_text(code: Code) -> str:
    """transformed.py: what runs in place of a function, with the verdict on the source."""
    return f"# {code.verdict}: {' '.join(proof_of(code).split())}\n{code.source.rstrip()}\n"


def meaning(artifact: Artifact) -> str:
    """What a reader may want to know of a file; empty where its name says it."""
    name = without_number(artifact.name.removeprefix(CACHED))
    plain = next((name.removeprefix(graph) for graph in _OF_GRAPHS if name.startswith(graph)), name)
    said = _MEANING.get(name) or _MEANING.get(plain) or ""
    return f"{said or name}, as torch's cache had it" if artifact.name.startswith(CACHED) else said
