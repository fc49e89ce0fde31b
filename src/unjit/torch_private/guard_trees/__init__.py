"""Guards as Dynamo's C++ keeps them: read, copied, timed and built anew.

Begin with `guards`, which reads a tree; the others copy one, or know what it has forgotten.
"""
