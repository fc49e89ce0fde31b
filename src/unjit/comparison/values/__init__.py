"""What a run gave, part by part (`leaves`), and what of it counts as a difference (`differences`)."""
