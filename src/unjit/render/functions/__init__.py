"""What is said of one compiled function: in a line, in full, its entries, their guards, and what happened to it."""
