"""How a recording begins in a process that Python starts: what was asked for comes through the environment.

`boot` lies first on PYTHONPATH; its `sitecustomize.py` reads the options, and lets the program start as it always does.
"""

from __future__ import annotations
