"""Reports as text and pages. Reads the model and nothing else."""
