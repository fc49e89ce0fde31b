"""A module whose guards are copied with some left out, its entry, and such a copy."""

from __future__ import annotations

import torch

import unjit
from unjit import rewrite

X, Y = torch.ones(3), torch.zeros(3)


class Scales(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)
        self.scale = 2

    def forward(self, x, y):
        return self.first(x) + self.second(y) * self.scale


def entry_of(target, *arguments):
    """What was compiled, called with the arguments, and the entry that was made."""
    made = torch.compile(target, backend="eager", dynamic=False)
    made(*arguments)
    return made, unjit.explain(made).entries[0]


def without(entry, kind, subject):
    """A copy without this guard; it warns."""
    return entry.copy(guards=rewrite.drop(lambda guard: (guard.kind, guard.subject) == (kind, subject)))
