"""Take a cache entry of torch.compile, change its guards and its code, run both by hand, and put the result back.

    python examples/rewrite_entry.py [eager|aot_eager|inductor]
"""
import sys
import warnings

import torch

import unjit
from unjit import rewrite


def scaled(x, k=1):
    return torch.relu(x) * k


def show(what, value):
    print(f"{what:58} {value}")


def main(backend):
    warnings.simplefilter("ignore", UserWarning)      # dropping a guard warns of what may become stale
    compiled = torch.compile(scaled, backend=backend, dynamic=False)
    three, seven = torch.ones(3), torch.ones(7)
    compiled(three)
    compiled(seven)
    entry = next(e for e in unjit.explain(compiled).entries if e.check(seven))
    print(entry.code)

    # A copy: one guard less, one condition more, and the output taken in another way.
    new = entry.copy(guards=[rewrite.drop("k"), "k >= 5"])
    new = new.with_graph_output(0, "_ * 100")
    show("the copy's conditions:", new.conditions)
    show("how it collects the graph's inputs:", [one.expression for one in new.graph_inputs])

    # Both by hand.
    show("by hand, the entry: check k=1, k=9:", [entry.check(seven, k=k) for k in (1, 9)])
    show("by hand, the copy:  check k=1, k=9:", [new.check(seven, k=k) for k in (1, 9)])
    show("by hand, the entry: run:", entry.run(seven)[0].item())
    show("by hand, the copy:  run:", new.run(seven)[0].item())

    # In Dynamo's cache.
    with unjit.count_calls(), new.install() as handle:
        show("installed:", unjit.installed(compiled) == [handle])
        show("compiled, 7 numbers, k=9: the copy, with code for k=1:", compiled(seven, k=9)[0].item())
        show("compiled, 7 numbers, k=1: the old entry:", compiled(seven)[0].item())
        show("compiled, 3 numbers, k=1: the old entry:", compiled(three)[0].item())
        hits = [(e.data.kind, e.hits) for e in unjit.explain(compiled).entries]
        show("runs of each entry:", hits)
    show("removed:", handle.reason)
    show("compiled, 7 numbers, k=9: compiled again:", compiled(seven, k=9)[0].item())


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "eager")
