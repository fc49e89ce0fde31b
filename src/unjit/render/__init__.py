"""The model as text, and as HTML for notebooks. Reads the model and nothing else.

Begin with `text`, which has each part of a report, and `outline`, which they are made of; `run` is the end of
`unjit run`, `index` is index.md, `brief` the summary.
"""
