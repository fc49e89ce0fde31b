"""Values: from one operation a statement to whole expressions and assignments."""
