"""What is said of two of something: entries, captures, runs on two backends, ranks."""
