"""What a capture has beyond a report: texts of every stage, kernels, times, and the job that the process is part of."""
