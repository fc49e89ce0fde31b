"""What a directory begins with: the list of all that is in it."""

from __future__ import annotations

from dataclasses import dataclass

from unjit.model.texts import FilePath, Message, Name, Term


@dataclass(frozen=True, slots=True)
class ListedFunction:
    """A function, and the folders of its compiles, from the top of the directory."""

    key: Name
    qualname: Name
    path: Term
    compiles: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class ListedSource:
    """A file of the user's program, and where its copy is."""

    file: FilePath
    path: Term


@dataclass(frozen=True, slots=True)
class Index:
    """index.json."""

    finished: bool  # whether the program, or the block, came to its end
    torch: Term
    python: Term
    functions: tuple[ListedFunction, ...]  # in the order of reading
    roots: tuple[Name, ...]  # keys of those that are not resume functions
    left_out: tuple[Message, ...]  # kinds of records of torch's trace that are not kept as such
    losses: tuple[Message, ...]  # what could not be read or written
    processes: tuple[Term, ...]  # names of the folders of other processes
    sources: tuple[ListedSource, ...]  # copies of the user's files
    outside: tuple[Term, ...] = ()  # files of texts that belong to no compile of Dynamo's
