# py>=3.14
"""Text."""
if False:
    first: a
if b:
    second: a = 1
if False:
    third: c
fourth: d


class C:
    if False:
        x: int
    y: str
    if b:
        z: int
    if False:
        w: C
