"""The instructions of a code object (`decode`): what each is, where it came from, and what can run after it."""
