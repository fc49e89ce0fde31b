"""The last resort: the annotated disassembly as comments around the embedded code, labelled as not recovered."""

from __future__ import annotations

import dis
import marshal
import re
from io import StringIO
from types import CodeType

from unjit.bytecode import decode
from unjit.bytecode.constants.shown import listable

_WIDTH = 96
_ADDRESSES = re.compile(r"(?<=<code object )(?P<name>\S+) at 0x[0-9A-Fa-f]+(?=, file )")  # each run has others


def opaque_source(code: CodeType, reason: str) -> str:
    """Valid Python that names `code`, shows its disassembly and, where it can be stored, embeds it."""
    lines = [
        f"# {_printable(code.co_qualname if hasattr(code, 'co_qualname') else code.co_name)}: not recovered as source.",
        f"# {_printable(reason)}",
        "# The disassembly of the bytecode:",
        *(f"#   {_printable(line)}".rstrip() for line in _listing(code).splitlines()),
        *_embedded(code),
    ]
    return "\n".join(lines) + "\n"


def _listing(code: CodeType) -> str:
    listing = StringIO()
    try:
        dis.dis(listable(code), file=listing, depth=0)
    except Exception:  # dis looks arguments up in tables, and bytes of any origin may point outside them
        return "\n".join(f"{i.offset} {i.op} {i.arg}" for i in decode(code))
    return _ADDRESSES.sub(r"\g<name>", listing.getvalue())


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _embedded(code: CodeType) -> list[str]:
    try:
        data = marshal.dumps(code)
    except ValueError:
        return ["# The code holds constants that cannot be stored in a file, so it is not embedded.", "code = None"]
    chunks = [data[i : i + _WIDTH // 4] for i in range(0, len(data), _WIDTH // 4)]
    return ["import marshal", "", "code = marshal.loads(", *(f"    {chunk!r}" for chunk in chunks), ")"]
