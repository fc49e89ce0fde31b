"""Structured statements to source text."""
