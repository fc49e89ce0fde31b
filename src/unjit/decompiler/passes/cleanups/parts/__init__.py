"""How copies of a cleanup are told, from each other and from the jump statements before and after them."""
