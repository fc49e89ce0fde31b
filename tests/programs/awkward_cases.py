"""Functions of awkward.py under torch.compile with backend eager. Arguments: its folder, names of cases (none: all)."""
import sys

import torch

sys.path.insert(0, sys.argv[1])
from awkward import CASES

for name in sys.argv[2:] or CASES:
    function, calls = CASES[name]()
    compiled = torch.compile(function, backend="eager")
    for arguments in calls:
        print(name, compiled(*arguments))
    torch._dynamo.reset()
