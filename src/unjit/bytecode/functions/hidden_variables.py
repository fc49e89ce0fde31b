"""Variables that the compiler makes beside those of the program (3.12 on). No source has these names."""

from __future__ import annotations

CLASS_NAMESPACE = "__classdict__"  # the namespace of the class, where annotations look names up first
TYPE_PARAMETERS = ".type_params"  # the tuple of its type parameters, where it has any
CONDITIONAL_ANNOTATIONS = "__conditional_annotations__"  # which annotations a class or module has come to (3.14)
