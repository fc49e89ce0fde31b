"""Both programs followed at once, through all states that they can be in together."""
