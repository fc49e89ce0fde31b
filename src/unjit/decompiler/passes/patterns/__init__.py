"""Match statements: the pattern behind the tests of each case, and the cases of one statement."""
