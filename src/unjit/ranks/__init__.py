"""`unjit.merge`: the captures of several ranks of one job, side by side."""
