"""`with`, `finally` and `except … as`, whose cleanups the compiler copies to each way out."""
