"""The private names by which what a program has torch call is found: while it compiles, and around what runs."""

from __future__ import annotations

from typing import Final

from unjit.torch_private.probes.probe import Probe

_LOSS: Final = "what it notes in a comparison stays noted"


def _pass(name: str) -> Probe:
    return Probe(f"torch._inductor.config.{name}", "put back what a pass of the program's notes in a comparison", _LOSS)


def _hooks(name: str) -> Probe:
    return Probe(f"torch.nn.modules.module.{name}", "put back what a hook of all modules notes in a comparison", _LOSS)


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
# ---- calling/called_around.py ----------------------------------------------------------------------------------------
HOOKS_AFTER_FORWARDS: Final = _hooks("_global_forward_hooks")
HOOKS_BEFORE_BACKWARDS: Final = _hooks("_global_backward_pre_hooks")
HOOKS_AFTER_BACKWARDS: Final = _hooks("_global_backward_hooks")
DISPATCH_MODES: Final = Probe(
    "torch.utils._python_dispatch._get_current_dispatch_mode_stack",
    "put back what a mode notes in a comparison, as the one that counts flops",
    _LOSS,
)
FUNCTION_MODES: Final = Probe(
    "torch.overrides._get_current_function_mode_stack", "put back what a mode notes in a comparison", _LOSS
)
HOOKS_ON_SAVED: Final = Probe(
    "torch._C._autograd._top_saved_tensors_default_hooks",
    "put back what hooks on saved tensors note in a comparison",
    _LOSS,
)
OPERATOR: Final = Probe(
    "torch._library.custom_ops.CustomOpDef", "put back what an operator of the program's notes in a comparison", _LOSS
)
IS_FAKE: Final = Probe(
    "torch._subclasses.fake_tensor.is_fake",
    "tell tensors that have a shape and no values",
    "a comparison of a call with such tensors may end the process, as kernels read where nothing is",
)
