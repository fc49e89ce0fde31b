"""What tells exits that were written from those that nobody wrote."""
