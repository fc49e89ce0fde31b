"""Code that differs from another in a few instructions, or in the file and lines that it says it comes from."""
