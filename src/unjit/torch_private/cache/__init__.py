"""Dynamo's cache entries, what else it keeps of compiles, and how it is set."""
