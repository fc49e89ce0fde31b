"""The graph shapes that conditions leave: branches, arms that end alike, blocks in one another's way."""
