"""One rewrite of the graph or tree per file; the order is in `unjit.decompiler.pipeline`."""
