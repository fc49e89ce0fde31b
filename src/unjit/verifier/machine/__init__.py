"""What one program does: instructions as steps on value numbers."""
