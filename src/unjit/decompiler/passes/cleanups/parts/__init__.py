"""How copies of a cleanup are told, from each other and from the words in front of them and behind."""
