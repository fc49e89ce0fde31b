"""What listens while a program compiles and runs. Each is called in the midst of the user's work, and only stores.

Begin with `recorder`, which keeps what explains a run, one `recorded_compile` after the other; `each_compile` tells
others of compiles, `counting` counts runs.
"""

from __future__ import annotations
