"""What each section of the page says: the overview, the calls, what happened, guards, times, what is kept, ranks."""
