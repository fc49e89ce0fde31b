"""What a run may change, remembered and put back, so that the next one, and the program, find all as it was.

- What the function reaches: `reached`, `modules`, `keepers`; values of each kind: `undoing`, with `tensors`, `buffers`,
  `held_gradients`, `iterators` and `weak`. `held_tensors` names those that are compared after a run, too, and `cut_off`
  has copies in place of what a run would use up.
- What holds for everything: `state`, with `settings`, `python_settings` and `randomness`.
"""
