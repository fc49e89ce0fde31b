"""What torch's trace calls the texts that it writes, and what they are called here: the one table."""

from __future__ import annotations

from typing import Final

BREAK: Final = "dynamo_graph_break_reason"
BREAK_WARNING: Final = "break_warning"  # a record of that name as well, ahead of the break itself

# By kind of record, or name of an artifact: the name of the file and its suffix. `*` stands for forward, backward or
# inference.
NAMES: Final[dict[str, tuple[str, str]]] = {
    "dynamo_output_graph": ("captured", ".py"),
    "dynamo_cpp_guards_str": ("guards", ".txt"),
    BREAK: ("break", ".txt"),
    BREAK_WARNING: ("break_warning", ".txt"),
    "recompile_reasons": ("recompile", ".txt"),
    "dynamo_side_effects": ("side_effects", ".txt"),
    "dynamo_error": ("error", ".txt"),
    "optimize_ddp_split_graph": ("ddp_split", ".py"),
    "optimize_ddp_split_child": ("ddp_split_part", ".py"),
    "before_pre_grad_graph": ("pre_grad_before", ".py"),
    "after_pre_grad_graph": ("pre_grad_after", ".py"),
    "aot_joint_graph": ("joint", ".py"),
    "before_joint_graph": ("joint_passes_before", ".py"),
    "after_joint_graph": ("joint_passes_after", ".py"),
    "aot_forward_graph": ("forward", ".py"),
    "aot_backward_graph": ("backward", ".py"),
    "aot_inference_graph": ("inference", ".py"),
    "aot_forward_graph_fw_metadata": ("aot_metadata", ".txt"),
    "aot_inference_graph_fw_metadata": ("aot_metadata", ".txt"),
    "aot_forward_graph_fw_subclass_metadata": ("aot_subclass_metadata", ".txt"),
    "backward_prologue": ("aot_backward_prologue", ".py"),
    "backward_epilogue": ("aot_backward_epilogue", ".py"),
    "compiled_function_forward": ("aot_compiled_forward", ".py"),
    "compiled_function_backward": ("aot_compiled_backward", ".py"),
    "compiled_fn_wrapper": ("aot_compiled_wrapper", ".py"),
    "runtime_wrapper_orchestration": ("aot_runtime_wrapper", ".py"),
    "torch._functorch.config": ("aot_config", ".json"),
    "aotautograd_cache_hit": ("aot_cache", ".json"),
    "aotautograd_cache_miss": ("aot_cache", ".json"),
    "aotautograd_cache_bypass": ("aot_cache", ".json"),
    "fx_graph_runnable": ("*_runnable", ".py"),
    "before_post_grad_graph": ("*_post_grad_before", ".py"),
    "inductor_post_grad_graph": ("*_post_grad_after", ".py"),
    "after_post_grad_graph": ("*_post_grad_after", ".py"),  # as torch 2.9 calls it
    "ir_pre_fusion": ("*_ir_before_fusion", ".txt"),
    "fusion": ("*_fusion", ".txt"),
    "ir_post_fusion": ("*_ir_after_fusion", ".txt"),
    "schedule": ("*_schedule", ".txt"),
    "inductor_output_code": ("*_output_code", ".py"),
    "inductor_provenance_tracking_node_mappings": ("*_provenance", ".json"),
    "inductor_provenance_tracking_kernel_stack_traces": ("*_kernel_stacks", ".json"),
    "triton_kernel_info": ("triton_kernels", ".json"),
    "fx_graph_cache_hit": ("*_cache", ".json"),
    "fx_graph_cache_miss": ("*_cache", ".json"),
    "fx_graph_cache_bypass": ("*_cache", ".json"),
    "dynamo_config": ("dynamo_configuration", ".json"),
    "functorch_config": ("functorch_configuration", ".json"),
    "inductor_config": ("inductor_configuration", ".json"),
}

GRAPHS: Final = frozenset({  # of these, those whose text is a graph
    "dynamo_output_graph", "optimize_ddp_split_graph", "optimize_ddp_split_child",
    "before_pre_grad_graph", "after_pre_grad_graph",
    "aot_joint_graph", "before_joint_graph", "after_joint_graph",
    "aot_forward_graph", "aot_backward_graph", "aot_inference_graph",
    "before_post_grad_graph", "inductor_post_grad_graph", "after_post_grad_graph",
})  # fmt: skip

# Of these, those that AOTAutograd made; and those of them that are no part of another.
AOT_GRAPHS: Final = frozenset({"aot_joint_graph", "aot_forward_graph", "aot_backward_graph", "aot_inference_graph"})
WHOLE_AOT_GRAPHS: Final = frozenset({"aot_joint_graph", "aot_inference_graph"})
