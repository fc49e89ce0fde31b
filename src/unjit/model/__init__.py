"""What is known about compiled functions: frozen, typed, serialisable data, without torch and without live objects."""

from __future__ import annotations

from unjit.model.answers import CallAnswer, CallOutcome, EntryAnswer, FailedCondition
from unjit.model.captures import (
    IN_FILE,
    Abbreviation,
    Artifact,
    CacheLookup,
    Capture,
    CapturedCompile,
    CompileRun,
    InputTensor,
    Kernel,
    Phase,
    Run,
    ShapeGuard,
    Symbol,
)
from unjit.model.checkup import Checkup, Finding, Hook, Standing
from unjit.model.code import Code, PlainCode, Verdict
from unjit.model.comparisons import BackendTrial, Comparison, Difference, GraphDifference
from unjit.model.compiles import Compile, CompileId, GraphBreak, Outcome
from unjit.model.concerns import Concern, ConcernKind
from unjit.model.costs import CostPart, GuardCost, Saving
from unjit.model.differences import (
    TOPICS_OF_CHANGE,
    CaptureDifference,
    Change,
    ChangeTopic,
    EntryDifference,
    GuardDifference,
    TextDifference,
    TimeDifference,
)
from unjit.model.functions import Entry, Function, ResumePoint, StackValue, State, Status
from unjit.model.graphs import Graph, GraphInput, TensorShape
from unjit.model.guards import FailedGuard, Guard, GuardGroup, GuardNode, Guards, Topic
from unjit.model.index import Index, ListedFunction
from unjit.model.places import Listing, Place
from unjit.model.report import SCHEMA_VERSION, Report
from unjit.model.serialise import from_plain, mapped, to_plain
from unjit.model.texts import (
    Constant,
    Expression,
    FilePath,
    Generated,
    Host,
    Message,
    Name,
    Term,
    Text,
    UserSource,
)
from unjit.model.unknown import Maybe, Unknown

__all__ = [
    "IN_FILE",
    "SCHEMA_VERSION",
    "TOPICS_OF_CHANGE",
    "Abbreviation",
    "Artifact",
    "BackendTrial",
    "CacheLookup",
    "CallAnswer",
    "CallOutcome",
    "Capture",
    "CaptureDifference",
    "CapturedCompile",
    "Change",
    "ChangeTopic",
    "Checkup",
    "Code",
    "Comparison",
    "Compile",
    "CompileId",
    "CompileRun",
    "Concern",
    "ConcernKind",
    "Constant",
    "CostPart",
    "Difference",
    "Entry",
    "EntryAnswer",
    "EntryDifference",
    "Expression",
    "FailedCondition",
    "FailedGuard",
    "FilePath",
    "Finding",
    "Function",
    "Generated",
    "Graph",
    "GraphBreak",
    "GraphDifference",
    "GraphInput",
    "Guard",
    "GuardCost",
    "GuardDifference",
    "GuardGroup",
    "GuardNode",
    "Guards",
    "Hook",
    "Host",
    "Index",
    "InputTensor",
    "Kernel",
    "ListedFunction",
    "Listing",
    "Maybe",
    "Message",
    "Name",
    "Outcome",
    "Phase",
    "Place",
    "PlainCode",
    "Report",
    "ResumePoint",
    "Run",
    "Saving",
    "ShapeGuard",
    "StackValue",
    "Standing",
    "State",
    "Status",
    "Symbol",
    "TensorShape",
    "Term",
    "Text",
    "TextDifference",
    "TimeDifference",
    "Topic",
    "Unknown",
    "UserSource",
    "Verdict",
    "from_plain",
    "mapped",
    "to_plain",
]
