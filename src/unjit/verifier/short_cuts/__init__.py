"""Ways to see at less cost than a walk that two programs do the same.

`identical` compares instructions, `in_step` instructions in blocks of another order, `strands` pieces of straight-line
code. None answers more than yes: where one cannot tell, the walk does.
"""
