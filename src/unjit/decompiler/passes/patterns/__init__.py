"""Match statements: the pattern after the tests of each case, and the cases of one statement."""
