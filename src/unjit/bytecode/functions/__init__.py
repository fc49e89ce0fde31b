"""What code has from the function around it and from its frame: cells, globals, where it is defined."""
