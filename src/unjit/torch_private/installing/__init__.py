"""Entries of ours in Dynamo's cache."""
