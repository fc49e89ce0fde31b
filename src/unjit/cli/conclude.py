from __future__ import annotations
def conclude(run):
    import os
    os.write(2, b"unjit: end\n")
