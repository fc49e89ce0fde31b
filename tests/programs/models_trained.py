"""Models on inductor, forward and backward. Arguments: the folder of models.py, `plain` or `explained`, names.

Prints digests of outputs and gradients: equal text is equal results, bit for bit.
"""
import hashlib
import sys

import torch

sys.path.insert(0, sys.argv[1])
from models import flatten, make


def digest(tensors):
    found = hashlib.sha256()
    for tensor in tensors:
        found.update(repr((tensor.dtype, tuple(tensor.shape))).encode())
        found.update(tensor.detach().reshape(-1).contiguous().view(torch.uint8).numpy().tobytes() if tensor.numel() else b"")
    return found.hexdigest()[:16]


def explained(compiled):
    if sys.argv[2] == "explained":
        import unjit

        assert "optimised by Dynamo" in str(unjit.explain(compiled))


torch.set_num_threads(1)  # some gradients are summed in the order in which threads come
for name in sys.argv[3:]:
    model, inputs = make(name)
    compiled = torch.compile(model, backend="inductor")
    for _ in range(2):
        outputs = flatten(compiled(**inputs))
        explained(compiled)
        sum(output.sum() for output in outputs if output.requires_grad).backward()
        explained(compiled)
    gradients = [parameter.grad for parameter in model.parameters() if parameter.grad is not None]
    print(name, digest(outputs), len(gradients), digest(gradients), flush=True)
    torch._dynamo.reset()
