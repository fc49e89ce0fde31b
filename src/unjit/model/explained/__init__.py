"""What torch.compile made of functions, as `unjit.explain` and `unjit run` tell it: a `Report`.

`report` is the whole; `functions` has a function and its cache entries, `guards`, `code` and `graphs` what an entry
has, `compiles` how it came about. `relevance` says whether an entry is for what was asked about.
"""
