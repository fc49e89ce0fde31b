"""Answers to one question: `why` (`calls`), `compare`, `diff`, `summary` (`concerns`), `doctor` (`checkup`), `cost`."""
