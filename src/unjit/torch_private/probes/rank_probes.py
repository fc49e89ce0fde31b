"""The private names by which ranks, and what they issue, are told apart."""

from __future__ import annotations

from typing import Final

from unjit.torch_private.probes.probe import Probe

# ---- compiled_graphs/user_lines.py -----------------------------------------------------------------------------------
TRANSLATOR: Final = Probe(
    "torch._dynamo.symbolic_convert.InstructionTranslator.current_tx",
    "tell which line of the program called torch's own code that a graph names",
    "a collective is told with the line of torch's that issued it",
)
# ---- process_groups.py -----------------------------------------------------------------------------------------------
WORLD: Final = Probe(
    "torch.distributed.distributed_c10d._world",
    "list the process groups of a rank",
    "which ranks a collective joins is not known",
    "a public list of process groups",
)
COUNT_OF_MESSAGES: Final = Probe(
    "torch._C._distributed_c10d.ProcessGroup._get_sequence_number_for_group",
    "tell that a compared call talks to other ranks",
    "in a job of several ranks nothing is compared with float64",
)
