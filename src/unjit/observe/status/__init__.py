"""What Dynamo does with a function and with a call of it: whether it compiles, runs what there is, or has given up.

Begin with `reasons`. The others are what it judges by: `history` has the compiles that are over, `giving_up` says which
of them were the last, `still_looked_at` what torch answers now, `call_outcomes` what one call would do.
"""

from __future__ import annotations
