"""The phases of compiles: in words, on a time line, and as events for Perfetto."""
