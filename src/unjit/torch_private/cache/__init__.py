"""Dynamo's cache entries and what else it keeps of compiles."""
