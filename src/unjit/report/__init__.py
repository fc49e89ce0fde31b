"""One page of a capture, for a browser: `report.html`.

The page is one file that needs no server and no network. `page` makes it from a `model.Capture` alone; `templates`,
`style` and `script` are what it is made of, `sections` and `texts` what the templates are given, `drawings` what is
drawn in it, `vendored` libraries of others.
"""
