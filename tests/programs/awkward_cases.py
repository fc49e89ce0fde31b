"""Functions of awkward.py or more_awkward.py under torch.compile, eager. Arguments: module, its folder, cases (none: all)."""
import importlib
import sys

import torch

sys.path.insert(0, sys.argv[2])
module = importlib.import_module(sys.argv[1])

for name in sys.argv[3:] or module.CASES:
    function, calls = module.CASES[name]()
    with torch._dynamo.config.patch(getattr(module, "CONFIG", {}).get(name, {})):
        compiled = torch.compile(function, backend="eager")
        for arguments in calls:
            try:
                print(name, compiled(*arguments))
            except RuntimeError as error:
                print(name, "raised", error)
    torch._dynamo.reset()
