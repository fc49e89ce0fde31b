"""Ways out: of functions, loops and regions, which the compiler copies, and where they were written."""
