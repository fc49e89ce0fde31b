"""What one case asks: the steps, what is known behind them, and the exits that stand behind each alternative."""
