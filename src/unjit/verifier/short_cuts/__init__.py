"""Ways to see at less cost than a walk that two programs do the same."""
