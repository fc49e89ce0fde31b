"""A model, forward and backward, with graph breaks unless `plain` follows. Arguments: backend, folder of models.py, model."""
import sys

import torch

sys.path.insert(0, sys.argv[2])
from models import flatten, make, with_breaks

model, inputs = make(sys.argv[3])
if "plain" not in sys.argv:
    model = with_breaks(model)
compiled = torch.compile(model, backend=sys.argv[1])


def once():
    try:
        outputs = flatten(compiled(**inputs))
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        outputs = flatten(compiled(**inputs))
    model.zero_grad()
    sum(output.double().sum() for output in outputs if output.requires_grad).backward()
    print([output.double().sum().item() for output in outputs])
    print(sum(p.grad.double().abs().sum().item() for p in model.parameters() if p.grad is not None))


once()
