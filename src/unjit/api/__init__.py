"""What a program calls, and the handles that it gets back: a module for each verb. `unjit` offers them all."""
