"""The private names by which what a program has torch call while it compiles is found."""

from __future__ import annotations

from typing import Final

from unjit.torch_private.probes.probe import Probe

_LOSS: Final = "what it notes in a comparison stays noted"


def _pass(name: str) -> Probe:
    return Probe(f"torch._inductor.config.{name}", "put back what a pass of the program's notes in a comparison", _LOSS)


# ---- calling/called_in_compiles.py -----------------------------------------------------------------------------------
PRE_GRAD_PASS: Final = _pass("pre_grad_custom_pass")
JOINT_PRE_PASS: Final = _pass("joint_custom_pre_pass")
JOINT_POST_PASS: Final = _pass("joint_custom_post_pass")
POST_GRAD_PRE_PASS: Final = _pass("post_grad_custom_pre_pass")
POST_GRAD_POST_PASS: Final = _pass("post_grad_custom_post_pass")
POST_FUSION_PASS: Final = _pass("_post_fusion_custom_pass")
BYTECODE_HOOKS: Final = Probe(
    "torch._dynamo.convert_frame._bytecode_hooks", "put back what a hook on bytecode notes in a comparison", _LOSS
)
BEFORE_COMPILES: Final = Probe(
    "torch._dynamo.callback.callback_handler.start_callbacks",
    "put back what a callback notes in a comparison when a compile begins",
    _LOSS,
)
AFTER_COMPILES: Final = Probe(
    "torch._dynamo.callback.callback_handler.end_callbacks",
    "put back what a callback notes in a comparison when a compile ends",
    _LOSS,
)
