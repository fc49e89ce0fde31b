"""Each private name of torch, and what is lost without it."""
