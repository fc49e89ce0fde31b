"""What is known about compiled functions: frozen, typed, serialisable data, without torch and without live objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unjit.lazily import loading
from unjit.model.captures import (
    CACHED,
    IN_FILE,
    Abbreviation,
    Artifact,
    CacheLookup,
    CallLine,
    Capture,
    CapturedCompile,
    CompileRun,
    Decomposition,
    InputTensor,
    KeptForBackward,
    KeptMemory,
    Kernel,
    ModuleCall,
    Phase,
    Run,
    ShapeGuard,
    Symbol,
)
from unjit.model.code import Code, Verdict
from unjit.model.compiles import WHILE_HANDLING, Compile, CompileId, CudaGraphSkip, GraphBreak, Outcome
from unjit.model.concerns import Concern, ConcernKind
from unjit.model.costs import CheckTimes, CostPart, GuardCost, Saving
from unjit.model.functions import Entry, Function, ResumePoint, StackValue, State, Status, TakenOut
from unjit.model.graphs import Graph, GraphInput, TensorShape
from unjit.model.guards import FailedGuard, Guard, GuardGroup, GuardLine, GuardNode, GuardOrigin, Guards, Topic
from unjit.model.index import Index, ListedFunction, ListedSource
from unjit.model.membership import Caller, Callers, Membership, ProcessGroup
from unjit.model.places import Listing, Place, StackFrame
from unjit.model.relevance import Relevance
from unjit.model.report import SCHEMA_VERSION, Report
from unjit.model.running import PYTHON_VERSION
from unjit.model.serialise import field_types, fields_of, from_plain, mapped, to_plain
from unjit.model.texts import (
    Constant,
    Expression,
    FilePath,
    Generated,
    Host,
    Message,
    Name,
    Size,
    Term,
    Text,
    UserSource,
    headline,
    went_wrong,
)
from unjit.model.unknown import LEFT_OUT_BY_REDACTION, Maybe, Unknown, first_unknown, known_or

if TYPE_CHECKING:
    from unjit.model.answers import CallAnswer, CallOutcome, EntryAnswer, FailedCondition
    from unjit.model.checkup import Checkup, Finding, Hook, Standing
    from unjit.model.comparisons import (
        BackendTrial,
        CallComparison,
        Comparison,
        Difference,
        GraphDifference,
        LoweringDifference,
        LoweringStep,
        ProgramComparison,
    )
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
    from unjit.model.ranks import Collective, Grade, Matter, Parting, PartingSide, Rank, RankDifference, Ranks, Side

__all__ = [
    "CACHED",
    "IN_FILE",
    "LEFT_OUT_BY_REDACTION",
    "PYTHON_VERSION",
    "SCHEMA_VERSION",
    "TOPICS_OF_CHANGE",
    "WHILE_HANDLING",
    "Abbreviation",
    "Artifact",
    "BackendTrial",
    "CacheLookup",
    "CallAnswer",
    "CallComparison",
    "CallLine",
    "CallOutcome",
    "Caller",
    "Callers",
    "Capture",
    "CaptureDifference",
    "CapturedCompile",
    "Change",
    "ChangeTopic",
    "CheckTimes",
    "Checkup",
    "Code",
    "Collective",
    "Comparison",
    "Compile",
    "CompileId",
    "CompileRun",
    "Concern",
    "ConcernKind",
    "Constant",
    "CostPart",
    "CudaGraphSkip",
    "Decomposition",
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
    "Grade",
    "Graph",
    "GraphBreak",
    "GraphDifference",
    "GraphInput",
    "Guard",
    "GuardCost",
    "GuardDifference",
    "GuardGroup",
    "GuardLine",
    "GuardNode",
    "GuardOrigin",
    "Guards",
    "Hook",
    "Host",
    "Index",
    "InputTensor",
    "KeptForBackward",
    "KeptMemory",
    "Kernel",
    "ListedFunction",
    "ListedSource",
    "Listing",
    "LoweringDifference",
    "LoweringStep",
    "Matter",
    "Maybe",
    "Membership",
    "Message",
    "ModuleCall",
    "Name",
    "Outcome",
    "Parting",
    "PartingSide",
    "Phase",
    "Place",
    "ProcessGroup",
    "ProgramComparison",
    "Rank",
    "RankDifference",
    "Ranks",
    "Relevance",
    "Report",
    "ResumePoint",
    "Run",
    "Saving",
    "ShapeGuard",
    "Side",
    "Size",
    "StackFrame",
    "StackValue",
    "Standing",
    "State",
    "Status",
    "Symbol",
    "TakenOut",
    "TensorShape",
    "Term",
    "Text",
    "TextDifference",
    "TimeDifference",
    "Topic",
    "Unknown",
    "UserSource",
    "Verdict",
    "field_types",
    "fields_of",
    "first_unknown",
    "from_plain",
    "headline",
    "known_or",
    "mapped",
    "to_plain",
    "went_wrong",
]

_NAMES = {  # by the module that has them; they are loaded when one is asked for, which no capture does
    "answers": "CallAnswer CallOutcome EntryAnswer FailedCondition",
    "checkup": "Checkup Finding Hook Standing",
    "comparisons": "BackendTrial CallComparison Comparison Difference GraphDifference LoweringDifference LoweringStep"
    " ProgramComparison",
    "differences": "TOPICS_OF_CHANGE CaptureDifference Change ChangeTopic EntryDifference GuardDifference"
    " TextDifference TimeDifference",
    "ranks": "Collective Grade Matter Parting PartingSide Rank RankDifference Ranks Side",
}
__getattr__ = loading(__name__, _NAMES)
