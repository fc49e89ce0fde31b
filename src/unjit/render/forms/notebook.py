"""What a notebook shows of an answer that is the last value of a cell."""

from __future__ import annotations


class ShownInFull:
    """Base of answers: a notebook shows all of the text, where `repr()` is a line."""

    def _repr_mimebundle_(self, **_formats: object) -> dict[str, str]:
        """The text, in the form in which Jupyter and IPython ask for it."""
        return {"text/plain": str(self)}
