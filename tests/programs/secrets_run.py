"""A program that holds a secret in each place from which torch or unjit could carry it into a file."""

import os
import sys

import torch

KEPT_NAME = 1.5  # the names of globals, functions and arguments stay
TABLE = {"globalkeysecret": 6543217}


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleDict({"kept_layer": torch.nn.Linear(3, 3)})
        self.limit = "attributesecret"

    def forward(self, x):
        """docstringsecret"""
        return self.layers["kept_layer"](x) * (2 if self.limit == "attributesecret" else 3)


class Odd:
    def __repr__(self):
        return "reprsecret"


def breaks(x, table, word, odd):
    y = x * 8675309.25 + table["keysecret"] * KEPT_NAME  # commentsecret
    print(f"stringsecret {os.environ['TORCH_SECRET_VARIABLE']}", odd)
    if word == "argumentsecret":
        y = y + torch.tensor(9753124.5) + TABLE["globalkeysecret"]
    return y.sin()


def raises(x):
    raise ValueError("errorsecret")


def scaled(x, number):
    return x * number


def scalar(x, value):
    return x + value.item()


def calls(backend):
    """Each call that compiles something; errors are part of the program."""
    compiled = torch.compile(breaks, backend=backend)
    for size, word in ((3, "argumentsecret"), (4, "otherwordsecret")):
        compiled(torch.ones(size), {"keysecret": torch.ones(size)}, word, Odd())
    compiled = torch.compile(scaled, backend=backend)
    for number in (7654321, 7654322, 7654323):
        compiled(torch.ones(3), number)
    torch.compile(scalar, backend=backend)(torch.ones(3), torch.tensor(4815162342))
    torch.compile(Layer(), backend=backend)(torch.ones(3))
    for fullgraph in (False, True):
        try:
            torch.compile(raises, backend=backend, fullgraph=fullgraph)(torch.ones(2))
        except Exception as error:
            print(type(error).__name__)


def kernel(backend="inductor"):
    """One graph with a constant, for backends that take long."""
    torch.compile(one_graph, backend=backend)(torch.ones(3), {"keysecret": torch.ones(3)})


def one_graph(x, table):
    return (x * 8675309.25 + table["keysecret"]).sin()  # commentsecret


if __name__ == "__main__":
    calls(sys.argv[1])
