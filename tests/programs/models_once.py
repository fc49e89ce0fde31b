"""Models of models.py under torch.compile with backend eager. Arguments: its folder, `plain` or `breaks`, names."""
import sys

import torch

sys.path.insert(0, sys.argv[1])
from models import MODELS, flatten, make, with_breaks

for name in sys.argv[3:] or MODELS:
    model, inputs = make(name)
    compiled = torch.compile(with_breaks(model) if sys.argv[2] == "breaks" else model, backend="eager")
    with torch.no_grad():
        print(name, [tuple(tensor.shape) for tensor in flatten(compiled(**inputs))])
    torch._dynamo.reset()
