"""What is said of a whole run: its end (`run`), index.md (`index`), and the findings for a language model (`brief`)."""
