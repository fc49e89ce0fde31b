"""What one case asks: the steps, what is known after them, and the exits that stand after each alternative."""
