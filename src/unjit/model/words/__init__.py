"""Sentences and names that several packages say alike, and torch's own texts read for what they name."""
