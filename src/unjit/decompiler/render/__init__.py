"""Structured statements to source text, and the maps from bytecode to it."""
