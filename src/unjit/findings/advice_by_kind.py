"""What to do about the common kinds of graph breaks, where torch's own words of one were left out.

A kind is torch's reason alone, which is the same for every program: nothing here can tell of one.
"""

from __future__ import annotations

from typing import Final

from unjit.model import GraphBreak, Message

_DISABLED: Final = "Remove `torch.compiler.disable` from the function that is called there, or accept the break."
BACKWARD_HOOKS: Final = "Module-level backwards hooks require compiled autograd."
KINDS: Final = {
    "Data-dependent branching": (
        "Write the branch as torch.where or torch.cond, or test outside of what is compiled. A check that raises can "
        "be `assert tensor, 'a constant message'`, which causes no graph break and raises RuntimeError."
    ),
    "Call to `torch._dynamo.graph_break()`": "Remove the `torch._dynamo.graph_break()` call.",
    "Skip calling `torch.compiler.disable()`d function": _DISABLED,
    "Skip inlining `torch.compiler.disable()`d function": _DISABLED,
    "Attempted to call function marked as skipped": "Call what Dynamo leaves alone outside of what is compiled.",
    "Failed to trace builtin operator": (
        "Call the builtin outside of what is compiled. Dynamo moves print after the graph if it is in "
        "torch._dynamo.config.reorderable_logging_functions, but prints nothing in functions that it inlines."
    ),
    "logging.Logger method not supported for non-export cases": (
        "Log outside of what is compiled. A method in torch._dynamo.config.ignore_logging_functions ends no graph, and "
        "logs nothing there."
    ),
    "Dynamic shape operator": "Set torch._dynamo.config.capture_dynamic_output_shape_ops = True.",
    "Unsupported Tensor.item() call with capture_scalar_outputs=False": (
        "Set torch._dynamo.config.capture_scalar_outputs = True."
    ),
    "Unsupported context manager": "Enter the context outside of what is compiled.",
    "Unsupported Tensor.backward() call": "Call backward() outside of what is compiled.",
    BACKWARD_HOOKS: (
        "Accept the break. Or set torch._dynamo.config.compiled_autograd = True before torch.compile is called, and "
        "call backward() within what is compiled: outside of it torch then raises."
    ),
    "Attempted to call op with non-contiguous `out=` tensor": (
        "Dynamo takes a tensor as out= only where it is contiguous: leave out= away, and copy what comes back."
    ),
    "Attempted to wrap RNN, GRU, or LSTM": "Set torch._dynamo.config.allow_rnn = True, or accept the break.",
}


def advice_on_kind(found: GraphBreak) -> Message | None:
    """One sentence and torch's page about the kind, as far as there are any."""
    page = None if found.link is None else f"See what torch says of breaks of this kind: {found.link}"
    said = " ".join(filter(None, (KINDS.get(found.kind), page)))
    return Message(said) if said else None
