"""What decompiling answers: source and verdicts, maps from bytecode to it, and what is shown where there is none."""
