"""A process among several that are captured together: its name, its folder, what it notes for whoever merges them.

Begin with `processes`; `membership` and `runs` are for the ranks of a distributed job.
"""

from __future__ import annotations
