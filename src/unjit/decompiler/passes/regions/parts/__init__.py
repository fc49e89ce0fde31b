"""What is put right before regions are entered by one block each: holes, and entries that were copied."""
