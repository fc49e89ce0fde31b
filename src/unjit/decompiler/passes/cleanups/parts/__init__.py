"""How copies of a cleanup are told, from each other and from the jump statements in front of them and behind."""
