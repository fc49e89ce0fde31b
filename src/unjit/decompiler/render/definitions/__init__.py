"""What is printed for each kind of code: begin with `units`, then `functions`, `headers` and `classes`."""
