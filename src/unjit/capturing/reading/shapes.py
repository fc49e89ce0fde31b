"""Records of torch's trace about inputs and symbolic shapes, read into the model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from unjit.model import (
    Expression,
    FilePath,
    InputTensor,
    Maybe,
    Message,
    Name,
    Place,
    ShapeGuard,
    Size,
    Symbol,
    Term,
    Unknown,
    UserSource,
)

FileNames = Callable[[Any], str]  # from torch's numbers of interned strings
Record = Mapping[str, Any]
_NO_PLACE = Unknown(Message("torch names no line of the program for it"))
INPUT_KINDS = ("describe_tensor", "describe_source")


def read_symbols(records: Iterable[tuple[str, Record]], file_of: FileNames) -> tuple[Symbol, ...]:
    """The symbols of a compile, in the order in which they came up."""
    return tuple(
        Symbol(
            name=Term(str(record.get("symbol"))),
            source=_fact(record, "source"),
            example=_fact(record, "val"),
            range=_fact(record, "vr"),
            place=_place(record, file_of),
        )
        for kind, record in records
        if kind in ("create_symbol", "create_unbacked_symbol")
    )


def read_shape_guards(records: Iterable[tuple[str, Record]], file_of: FileNames) -> tuple[ShapeGuard, ...]:
    """What a compile took for granted about symbols, each once."""
    found = (
        ShapeGuard(Expression(_condition(kind, record)), _place(record, file_of))
        for kind, record in records
        if kind in ("guard_added_fast", "guard_added", "symbolic_shape_specialization")
    )
    return tuple(dict.fromkeys(found))


def read_inputs(records: Iterable[tuple[str, Record]]) -> tuple[InputTensor, ...]:
    """The tensors that the user's values are; torch describes each value and then says where it came from."""
    tensors: dict[tuple[Any, Any], Record] = {}
    found: dict[InputTensor, None] = {}
    for kind, record in records:
        if kind == "describe_tensor":
            tensors[record.get("describer_id"), record.get("id")] = record
        elif kind == "describe_source":
            tensor = tensors.get((record.get("describer_id"), record.get("id")))
            if tensor is not None:
                found.setdefault(_input(str(record.get("source")), tensor))
    return tuple(found)


def _input(source: str, tensor: Record) -> InputTensor:
    stride = tensor.get("stride")
    device = str(tensor.get("device")).removeprefix("device(type='").removesuffix(")").replace("', index=", ":")
    return InputTensor(
        source=Expression(source),
        shape=tuple(Size(str(size)) for size in tensor.get("size") or ()),
        stride=Unknown(Message("torch tells of none")) if stride is None else tuple(Size(str(step)) for step in stride),
        dtype=Term(str(tensor.get("dtype")).removeprefix("torch.")),
        device=Term(device.rstrip("'")),
        requires_grad=bool(tensor.get("requires_grad", False)),
    )


def _condition(kind: str, record: Record) -> str:
    if kind == "symbolic_shape_specialization":
        return f"{record.get('symbol')} == {record.get('value')}"
    return str(record.get("expr"))


def _fact(record: Record, name: str) -> Maybe[Expression]:
    value = record.get(name)
    return Unknown(Message("torch tells none")) if value is None else Expression(str(value))


def _place(record: Record, file_of: FileNames) -> Maybe[Place]:
    """The innermost line of the user's program; of what that called, where all of it lies in packages."""
    stack = [place_of(frame, file_of) for frame in record.get("user_stack") or ()]
    own = (place for place in reversed(stack) if place.is_of_the_program)
    return next(own, stack[-1] if stack else _NO_PLACE)


def place_of(frame: Record, file_of: FileNames) -> Place:
    """A frame of a stack in torch's trace."""
    code = frame.get("loc")
    return Place(
        FilePath(file_of(frame.get("filename"))),
        int(frame.get("line") or 0),
        Name(str(frame.get("name"))),
        UserSource(code) if code else Unknown(Message("torch does not quote it")),
    )
