"""The model as text, and as HTML for notebooks. Reads the model and nothing else.

`functions` has what is said of one function and its entries, `captures` of a run or capture, `side_by_side` of two of
something, `times` of phases; `forms` are what all of it is written in: nested sections, as text, HTML or Markdown.
"""
