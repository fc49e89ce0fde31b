"""What helps where torch explains a graph break so: sentences of ours, in place of hints that help less.

The words are those of torch 2.13 and 2.15, some of them those of others: where it has its own, torch's hint is shown.
A sentence tells what to do about what torch says, and claims nothing about the program that torch does not.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from unjit.findings.advice_by_kind import KINDS
from unjit.model import Message
from unjit.model.words.context_text import OF_A_TENSOR

_OUTSIDE: Final = "call it outside of what is compiled, and pass its result."
_ENTERED: Final = "enter it outside of what is compiled."
_GIVEN_UP: Final = (
    "Dynamo meets {subject} there, which nothing that is compiled catches, and gives the function up, for all later "
    "calls, or raises with fullgraph=True. Where the program raises it too, check before, outside of what is compiled, "
    "or catch it within. Where it does not, do outside what Dynamo takes for an error."
)
LOGGED: Final = (
    "Log outside of what is compiled. A method in torch._dynamo.config.ignore_logging_functions, such as logger.info, "
    "does not break the graph, but logs nothing there."
)
_ITERATORS: Final = (
    r"generator|\w+iterator|zip|map|filter|enumerate|reversed|accumulate|batched|chain|combinations|compress|count|cycle"
    r"|dropwhile|groupby|islice|pairwise|permutations|product|repeat|starmap|takewhile|zip_longest|\w+IOWrapper"
)
_GRAD_MODES: Final = r"no_grad|enable_grad|inference_mode|set_grad_enabled"


class _Known(NamedTuple):
    """What helps where torch's explanation matches: its groups are numbered in the advice."""

    explanation: re.Pattern[str]
    advice: str
    subject: str = ""  # for `{subject}`, where torch's context does not say what the break is about


def _known(explanation: str, advice: str, subject: str = "") -> _Known:
    return _Known(re.compile(explanation), advice, subject)


_KNOWN: Final = (
    _known(
        r"\(reason: optimizer <class '(?:\w+\.)*(\w+)'> step not supported\)",
        "torch does not compile the step of {0}: call it outside of what is compiled, or use another optimizer.",
    ),
    _known(
        r"the function `(\w+\.step)` in file `[^`]*[/\\]lr_scheduler\.py` should not be traced",
        "A learning rate scheduler has wrapped {0}, and Dynamo compiles what is within by itself: accept the break.",
    ),
    _known(
        r"the function `(?:_BaseDataLoaderIter|DataLoader)\.__(?:iter|next)__`",
        "Dynamo does not follow a DataLoader: loop over it outside, and compile what is done with each batch.",
    ),
    _known(
        r"Skip \w+ function `<function (?:[\w<>]+\.)*(\w+) at \S+>`.* \(reason: (?!None\))(.+)\)",
        "torch.compiler.disable switches Dynamo off for {0} ({1}): accept the break, call it outside of what is "
        "compiled, or remove that.",
    ),
    _known(
        r"the function `(Random\.\w+)` in file|the builtin `<unknown module>\.(Random\.random)\.`",
        "Dynamo does not follow {0}: draw outside of what is compiled, and pass the result, or draw with torch, as by "
        "torch.rand.",
    ),
    _known(
        r"^torch\.Generator\.(\w+)\(\) is a stateful RNG operation",
        "Call {0}() of the generator outside of what is compiled.",
    ),
    _known(r"the function `(saved_tensors_hooks)\.__init__`", "Dynamo does not follow {0}: " + _ENTERED),
    _known(
        r"^`Tensor\.retain_grad\(\)` does not work with AOTDispatcher",
        "Give the tensor back, call retain_grad() on it outside of what is compiled, and compute what follows from it "
        "in another compiled function.",
    ),
    _known(
        r"^Dynamo does not yet support subscripting '(\w*Alias)'",
        "Dynamo does not follow how a type such as NDArray[float64] is made, where a {0} is given parameters: give the "
        "type a name outside of what is compiled.",
    ),
    _known(
        r"^Dynamo does not yet support subscripting '([\w.]+)'",
        "Dynamo does not follow the [] of {0}: take the item outside of what is compiled, and pass it.",
    ),
    _known(
        r"the bytecode instruction `GET_AWAITABLE`",
        "Dynamo does not follow an await that waits for what is not written in Python, as that of asyncio.sleep: "
        "compile the functions that the coroutine calls.",
    ),
    _known(
        rf"the function `({_GRAD_MODES})\.__enter__`|how to enter a `({_GRAD_MODES})` context manager",
        "Dynamo does not enter a {0} that was made elsewhere: make it in the `with` that enters it.",
    ),
    _known(
        r"how to enter a `(\w+)` context manager|how to trace method `__enter__` of class `(\w+)`",
        "Dynamo does not enter a {0}: " + _ENTERED,
    ),
    _known(
        r"how to trace builtin operator `print` with",
        "Print outside of what is compiled. Or let Dynamo print after the graph: first call "
        "torch._dynamo.config.reorderable_logging_functions.add(print). It then prints only tensors, constants and "
        "f-strings, without keywords, and nothing in functions that it inlines.",
    ),
    _known(
        r"how to trace builtin operator `breakpoint` with",
        "A breakpoint ends the graph: take it out when you have seen enough.",
    ),
    _known(
        r"how to trace builtin operator `(?:<built-in function )?([\w.]+)>?` with argument types \[(.*?)\]",
        "Dynamo does not follow {0}({1}) there: " + _OUTSIDE,
    ),
    _known(r"^Tensor repr requires actual runtime values", "Dynamo does not follow repr(Tensor): " + _OUTSIDE),
    _known(
        r"^(?:For non-export cases, )?logging\.Logger methods are (?:not|only) supported",
        LOGGED,
    ),
    _known(
        r"`Tensor\.backward\(\)` when trace_autograd_ops is off",  # torch's hint names no setting that there is
        "Set torch._dynamo.config.trace_autograd_ops = True before the first call, or call backward() outside of "
        "what is compiled.",
    ),
    _known(
        r"^torch\.autograd\.grad\(\) inside torch\.compile is not supported when compiled autograd is enabled",
        "Compiled autograd is on, by torch._dynamo.config.compiled_autograd or its context manager, and compiles the "
        "backward by itself: accept the break, or switch it off.",
    ),
    _known(
        r"^An intermediate tensor with requires_grad_\(\) called",
        "What requires_grad_() is called on within what is compiled must not leave the graph, nor what is computed "
        "from it: mend graph breaks after it first. Return both with .detach(), or call requires_grad_() outside.",
    ),
    _known(
        r"^Dynamo does not support changes to a Tensor's `requires_grad`",
        "Call requires_grad_() outside of what is compiled.",
    ),
    _known(
        r"^Mutating a variable from outside the scope of this HOP",
        "Return it from there, or change it outside: for torch, what is checkpointed, or a branch of torch.cond, is "
        "one operation. With torch._dynamo.config.skip_fwd_side_effects_in_bwd_under_checkpoint = True a checkpoint "
        "may change it, which is not done again when the backward computes it anew.",
    ),
    _known(
        r"how to trace the Python builtin `_warnings\.warn`",
        "Warn outside of what is compiled, or only `if not torch.compiler.is_compiling():`, which causes no graph "
        "break.",
    ),
    _known(
        r"how to trace the builtin `(?:<unknown module>\.)?([\w.]+?)\.?` This function is either",
        "Dynamo does not know {0}, which is not written in Python: call it outside, and pass its result.",
    ),
    _known(
        r"how to trace method `\w+` of class `type`",
        "Dynamo does not follow {subject} there: " + _OUTSIDE,
        "what is called",
    ),
    _known(r"how to trace method `(\w+)` of class `(\w+)`", "Dynamo does not follow {1}.{0} there: " + _OUTSIDE),
    _known(r"how to trace the function `<class '([\w.]+)'>`", "Dynamo does not follow {0}() there: " + _OUTSIDE),
    _known(
        rf"(?:does not support next\(\) on |how to iterate over `UserDefinedObjectVariable\(|how to wrap <class '"
        rf"|^'(?=\w+' implements '__(?:next|iter)__' in C))({_ITERATORS})\b",
        "Dynamo cannot follow an iterator that was made outside of what is compiled ({0}): take the items there, and "
        "pass them.",
    ),
    _known(
        r"^'(\w+)' implements '(\w+)' in C and Dynamo has no model for it",
        "Dynamo does not know {0}.{1}, which is not written in Python: " + _OUTSIDE,
    ),
    _known(
        r"^Cannot trace special method '(\w+)' implemented in C on user-defined type '(\w+)'",
        "Dynamo does not know {1}.{0}, which is not written in Python: " + _OUTSIDE,
    ),
    _known(
        r"^setattr\(\) is not supported on type type",
        "Dynamo does not set an attribute of a class there: set it outside of what is compiled.",
    ),
    _known(
        r"^Missing `as_proxy\(\)` implementation",
        "Dynamo can put no {subject} into a graph: call what gets one outside of what is compiled.",
        "such argument",
    ),
    _known(
        r"^torch\.\* ops that return a non-Tensor cannot be traced",
        "Dynamo does not follow {subject} there, whose result is no tensor: " + _OUTSIDE,
        "what is called",
    ),
    _known(
        r"^Operator `(?!aten\._local_scalar_dense)([\w.]+?)(?:\.default)?` has a non-Tensor output",
        "{0} gives a plain value that depends on data: call it outside, or compute a tensor in its place.",
    ),
    _known(
        r"^torch\.compile does not support sparse Tensors",
        "Dynamo does not follow sparse tensors: compute with them outside of what is compiled, or accept the break.",
    ),
    _known(
        r"^Dynamo failed to run FX node with fake tensors: (?s:.*?): got (\w+)\(",
        "The operation raises {0} for tensors without values, by which Dynamo learns shapes and dtypes: correct "
        "what it gets, or ask before whether that fits. An `except` in what is compiled does not catch it.",
    ),
    _known(
        r"have intentionally marked that the function `([\w.<>]+)` (?:in file `[^`]*` )?should not be traced",
        "Dynamo does not follow {0}: call it outside of what is compiled, or accept the break.",
    ),
    _known(
        r"no bytecode reconstruction implemented for sourceless variable Dict(?:Keys|Values|Items)Iterator\(",
        "Dynamo cannot hand a half-read iterator over a dict on to what runs after the graph: mend the graph break "
        "that ends the loop or comprehension there, or loop over a list, as list(d.items()).",
    ),
    _known(
        r"^Cannot reconstruct a generator with variable mutations",
        "Dynamo cannot hand a half-read generator, or what it follows as one, such as enumerate, on to what runs after "
        "the graph: mend the graph break that ends the loop or comprehension there, or loop over a list of its items.",
    ),
    _known(r"Dynamo does not support RNN, GRU, or LSTM\.", KINDS["Attempted to wrap RNN, GRU, or LSTM"]),
    _known(r"^Dynamo found no exception handler at the top-level compiled function", _GIVEN_UP, "an exception"),
)
_SUBCLASS: Final = Message(
    "Dynamo follows a class of tensors with __torch_dispatch__ only where it has __tensor_flatten__ and "
    "__tensor_unflatten__, too: give it both, or call what gets such a tensor outside of what is compiled."
)


def by_explanation(text: str, subject: str | None) -> Message | None:
    """What is known to help on what torch explains so, of a break or of the error that it is with fullgraph=True.

    `subject` is what torch's context says that it is about, as `GraphBreak.subject` has it.
    """
    if subject == OF_A_TENSOR:
        return _SUBCLASS
    for known in _KNOWN:
        if explained := known.explanation.search(text):
            named = (one.replace("'", "") for one in explained.groups() if one is not None)
            return Message(known.advice.format(*named, subject=subject or known.subject))
    return None
