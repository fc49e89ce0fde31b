"""The model as plain data: to JSON and back, the schema of it, and the short repr of its objects."""
