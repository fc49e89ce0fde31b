"""`%load_ext unjit`: `%explain` and `%%explain` in IPython and in notebooks."""

from __future__ import annotations

from typing import Any

import unjit
from unjit.errors import UnjitError
from unjit.model import Report


def load_ipython_extension(shell: Any) -> None:
    """Called by `%load_ext unjit`."""
    shell.register_magic_function(Explain(shell), magic_kind="line_cell", magic_name="explain")


def unload_ipython_extension(shell: Any) -> None:
    """Called by `%unload_ext unjit`."""
    for magics in shell.magics_manager.magics.values():
        magics.pop("explain", None)


class Explain:
    """The magic: a line names what is to be explained, a cell is run and explained."""

    def __init__(self, shell: Any) -> None:
        self.shell = shell
        self.__doc__ = (
            "%explain EXPRESSION: what torch.compile did to a function, compiled function or module; "
            "without one, to everything.\n%%explain: run the cell, then show what torch.compile did in it."
        )

    def __call__(self, line: str, cell: str | None = None) -> object:
        from IPython.core.error import UsageError

        if cell is None:
            return self.line(line)
        if line.strip():  # else it would look as if the explanation were of that alone
            raise UsageError(
                "%%explain takes nothing: it is about all that the cell compiles (%explain takes a function)"
            )
        self.cell(cell)
        return None

    def line(self, line: str) -> object:
        """`%explain EXPRESSION`."""
        from IPython.core.error import UsageError

        targets = [self.shell.ev(line)] if line.strip() else []
        try:
            return unjit.explain(*targets)
        except UnjitError as error:
            raise UsageError(str(error)) from None

    def cell(self, cell: str) -> None:
        """`%%explain`: an error in the cell is shown as always, and the explanation after it."""
        from IPython.core.error import UsageError
        from IPython.display import display

        session = unjit.capture()
        with session:
            result = self.shell.run_cell(cell)
        if session.functions or session.losses:
            display(CellExplanation(session.data.report))  # type: ignore[no-untyped-call]
        else:
            print("unjit: the cell compiled nothing with torch.compile")
        if not result.success:
            error = result.error_in_exec or result.error_before_exec
            raise UsageError(f"the cell raised {type(error).__name__} (see above)")


class CellExplanation:
    """What torch.compile did in a cell."""

    def __init__(self, report: Report) -> None:
        self.report = report

    def __str__(self) -> str:
        from unjit.render.captures.run import overview
        from unjit.render.forms.text import text

        return "\n".join([*overview(self.report), "", text(self.report)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from unjit.render.forms.html import html

        return html(self.report)
