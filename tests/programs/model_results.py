"""Models of models.py, twice forward and backward: prints digests of what they computed, and all that was compiled.

Arguments: the folder of models.py, `plain` or `breaks`, the backend, names.
"""
import hashlib
import sys

import torch

sys.path.insert(0, sys.argv[1])
from models import flatten, make, with_breaks

NO_BACKWARD = {"reformer"}  # not when it is evaluated


def digest(tensors):
    """Of all bits of all tensors, with their shapes and dtypes."""
    found = hashlib.sha256()
    for tensor in tensors:
        found.update(f"{tensor.dtype} {tuple(tensor.shape)}".encode())
        found.update(tensor.detach().contiguous().view(torch.uint8).numpy().tobytes() if tensor.dim() else b"")
        found.update(repr(tensor.tolist()).encode() if not tensor.dim() else b"")
    return found.hexdigest()[:16]


def run(name, how, backend):
    """Two passes of one model."""
    model, inputs = make(name)
    compiled = torch.compile(with_breaks(model) if how == "breaks" else model, backend=backend)
    for _ in range(2):
        torch.manual_seed(0)
        with torch.set_grad_enabled(name not in NO_BACKWARD):
            outputs = flatten(compiled(**inputs))
            if name not in NO_BACKWARD:
                sum(output.sum() for output in outputs if output.requires_grad).backward()
        gradients = [parameter.grad for parameter in model.parameters() if parameter.grad is not None]
        print(name, digest(outputs), len(gradients), digest(gradients))


torch.set_num_threads(1)
torch._dynamo.config.recompile_limit = 64  # models share wrappers that belong to no one of them
for name in sys.argv[4:]:
    try:
        run(name, *sys.argv[2:4])
    except RuntimeError as error:  # of torch alone, as where a backward makes a view that cannot be
        print(name, type(error).__name__, str(error).splitlines()[0])
counters = torch._dynamo.utils.counters
for group in ("frames", "stats", "graph_break", "aot_autograd", "recompile_limit"):
    print(group, dict(counters[group]))
codes = [code for weak in torch._dynamo.convert_frame.input_codes.seen if (code := weak()) is not None]
for code in codes:
    print(code.co_name, code.co_firstlineno, len(torch._C._dynamo.eval_frame._debug_get_cache_entry_list(code)))
