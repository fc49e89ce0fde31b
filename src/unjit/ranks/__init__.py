"""`unjit.merge`: the captures of several ranks of one job, side by side.

Begin with `api`, then `merge`. `reading` reads a rank's folder; `partings` finds where collectives diverge, `comparing`
what differs.
"""
