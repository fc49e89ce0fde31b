"""Both programs followed at once, through all states that they can be in together.

Begin with `bisimulate`; `pair` is a state, `meetings` and `weaken` say what holds where paths meet.
"""
