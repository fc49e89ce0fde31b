"""Compiles as they happen: torch's trace and logs."""
