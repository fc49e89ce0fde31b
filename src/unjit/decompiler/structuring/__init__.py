"""The graph as nested statements."""
