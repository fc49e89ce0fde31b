"""Source text back to a code object, in the context that the original was compiled in.

Begin with `recompile`; `surroundings` says what the text is compiled in.
"""
