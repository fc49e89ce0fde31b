"""Functions drawn by chance under torch.compile: `drawn.py TESTS FOLDER FIRST COUNT [BACKEND]`, modules go to FOLDER."""
import logging
import sys
import warnings
from pathlib import Path

import torch
from torch.utils._pytree import tree_map_only

sys.path.insert(0, sys.argv[1])
from generated_tensors import outcome, text_of

warnings.simplefilter("ignore")
logging.disable(logging.ERROR)
folder, first, count = Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
for seed in range(first, first + count):
    file = folder / f"drawn_{seed}.py"
    file.write_text(text_of(seed))
    done = outcome(seed, *sys.argv[5:] or ["eager"], name=str(file))
    print(seed, tree_map_only(torch.Tensor, lambda tensor: tensor.tolist(), done))
