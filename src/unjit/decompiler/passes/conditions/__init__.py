"""Conditions: branches that are part of an expression, and what they choose between."""
