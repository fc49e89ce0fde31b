"""Loops: one way in, one test."""
