"""The ways in from programs that run other people's code: pytest and IPython."""
