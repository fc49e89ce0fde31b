"""Other code for an entry, checked against everything that Dynamo takes for granted when it runs it."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Mapping
from dataclasses import dataclass
from types import CodeType, FunctionType, MethodType
from typing import Any

from unjit.bytecode import global_names, with_constants_for
from unjit.bytecode.functions.frame import why_not_in_place_of
from unjit.decompiler import Decompiled, Verdict, decompile
from unjit.decompiler.errors import CannotExpress
from unjit.errors import UnjitError
from unjit.observe.entries.profiler_scaffolding import readable, without_scaffolding
from unjit.rewrite.lost_statements import what_is_lost
from unjit.rewrite.placing import in_its_own_file
from unjit.torch_private.cache.targets import is_compiled


@dataclass(frozen=True, slots=True)
class Edited:
    """Source that was made from that of a decompilation."""

    source: str
    context: Decompiled


def editable(code: CodeType) -> Decompiled:
    """The code's source for a person to edit: without what serves torch's profiler alone.

    Raises UnjitError if the source was not recovered.
    """
    answer, _ = readable(code, without_scaffolding(code))
    if answer.verdict is Verdict.OPAQUE:
        raise UnjitError(f"its source was not recovered ({answer.reason}), so there is none to edit; pass a function")
    return answer


def code_from(
    given: object, present: CodeType, owner: CodeType, scope: dict[str, Any], names: Mapping[str, Any]
) -> CodeType:
    """The code object that `given` stands for, fit to run in the frame of `owner`, whose globals are `scope`.

    `given`: None for the present code, a code object, a function, or an edited form of the present code's source.
    `names` are objects that the code means by a name; they become its constants. Raises UnjitError, saying what to
    change, for code that does not compile, does not fit the frame, needs names that are not there, or has none of
    `names`.
    """
    if not isinstance(names, Mapping):
        raise UnjitError(f"names is a dict from names in the code to what they mean, not {type(names).__name__}")
    if isinstance(given, str):
        given = Edited(given, decompile(present))
    if isinstance(given, Edited):
        code = _compiled(given, names)
    else:
        plain = _plain_code(given, present)
        _refuse_unused(names, global_names(plain))
        code = with_constants_for(plain, names)
    reasons = why_not_in_place_of(owner, code)
    if reasons:
        raise UnjitError(f"the code cannot run in the frame of {owner.co_name}: {'; '.join(reasons)}")
    missing = sorted(global_names(code) - set(scope) - set(vars(builtins)))
    if missing:
        raise UnjitError(
            f"the code needs {', '.join(missing)}, which {owner.co_name} does not have among its globals: pass "
            f"names={{{', '.join(f'{name!r}: …' for name in missing)}}}"
        )
    return code


def _plain_code(given: object, present: CodeType) -> CodeType:
    if given is None:
        return present
    if isinstance(given, MethodType):
        given = given.__func__
    if is_compiled(given):
        raise UnjitError("code is a function of yours, not what torch.compile returned: pass the function itself")
    if isinstance(given, FunctionType):
        return given.__code__
    if isinstance(given, CodeType):
        return given
    if isinstance(given, Decompiled):
        return given.recompile()
    raise UnjitError(f"code is a function, a code object or edited source, not {type(given).__name__}")


def _compiled(edited: Edited, names: Mapping[str, Any]) -> CodeType:
    why = "the edited code cannot be used"
    try:
        code = edited.context.compile_edited(edited.source, names)
    except CannotExpress as refusal:
        raise UnjitError(f"{why}: {', '.join(_set_by(edited.source, names)) or refusal}") from None
    lost = what_is_lost(edited.source, edited.context.source)
    if lost is not None:
        raise UnjitError(f"{why}: {lost}")
    _refuse_unused(names, {node.id for node in ast.walk(ast.parse(edited.source)) if isinstance(node, ast.Name)})
    return in_its_own_file(code, edited.source, edited.context.code)


def _set_by(source: str, names: Mapping[str, Any]) -> list[str]:
    """The names that the code itself sets, which can then mean no object of the caller's, each with what to do."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    changed = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    return [f"it sets {name}, which names gives as a constant: call one of them otherwise" for name in names
            if name in changed]  # fmt: skip


def _refuse_unused(names: Mapping[str, Any], used: set[str]) -> None:
    """Raise UnjitError for a name that the code does not use: a mistake that would else change nothing, silently."""
    unused = [name for name in names if name not in used]
    if unused:
        raise UnjitError(
            f"names has {', '.join(map(str, unused))}, which the code does not use for a global: give each name in "
            "full, as it stands in .code.source"
        )
