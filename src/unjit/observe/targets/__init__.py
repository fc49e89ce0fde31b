"""What a user may ask about, and the calls and frames of it: functions, compiled functions, methods, modules, objects.

Begin with `resolving`, which finds the code object that Dynamo keeps entries for; the others tell what a frame of it
holds, from a call, or from what was asked about alone.
"""

from __future__ import annotations
