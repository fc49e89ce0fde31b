"""More functions that make torch.compile do awkward things, in the form of ../shared/models/awkward.py.

    CASES[name]() -> (callable, list of argument tuples to call it with)
    CONFIG[name]  -> settings of torch._dynamo.config under which the case is compiled and called

Calls may raise: then they raise the same with unjit.
"""
import collections
import contextlib
import dataclasses
import enum
import functools
import operator

import torch
import torch._dynamo

CASES = {}
CONFIG = {}
SCALE = 2.0
REGISTRY = {}
HISTORY = []


def case(make=None, **config):
    if make is None:
        return functools.partial(case, **config)
    CASES[make.__name__] = make
    CONFIG[make.__name__] = config
    return make


def vec(n=4, **kw):
    return torch.linspace(-1, 1, n, **kw)


@case(nested_graph_breaks=True)
def nested_graph_break_in_a_callee():
    def leaf(x, k):
        y = x + k
        torch._dynamo.graph_break()
        return y * k

    def middle(x):
        a = leaf(x, 2)
        b = leaf(x, 3)
        return a - b

    def f(x):
        return 1 + middle(x) * middle(x + 1)
    return f, [(vec(),), (vec(5),), (vec(6),)]


@case(nested_graph_breaks=True)
def nested_graph_break_with_closures_and_loops():
    def f(xs):
        total = 0

        def add(x):
            nonlocal total
            total = total + x
            torch._dynamo.graph_break()
            total = total * 2

        add(xs[0])
        add(xs[1])
        return total
    return f, [([vec(), vec() + 1],)]


@case(nested_graph_breaks=True)
def nested_graph_break_under_with_and_try():
    def inner(x):
        try:
            with torch.no_grad():
                x = x + 1
                torch._dynamo.graph_break()
                x = x * 2
        finally:
            x = x - 1
        return x

    def f(x):
        return inner(x) + inner(x * 2)
    return f, [(vec(),)]


@case
def autocast_entered_again_after_a_break():
    def f(a, b):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            c = a @ b
            torch._dynamo.graph_break()
            d = c @ b
        return d.float() + 1
    return f, [(torch.ones(3, 3), torch.ones(3, 3))]


@case
def three_context_managers_around_a_break():
    def f(x):
        with torch.enable_grad(), torch.autocast("cpu", enabled=False), torch.no_grad():
            y = x * 2
            torch._dynamo.graph_break()
            with torch.enable_grad():
                z = y + x
                torch._dynamo.graph_break()
                z = z * 3
        return z + y
    return f, [(vec(requires_grad=True),)]


@case
def custom_context_manager_class_around_breaks():
    class Note:
        def __init__(self, log):
            self.log = log

        def __enter__(self):
            self.log.append("enter")
            return self

        def __exit__(self, kind, error, trace):
            self.log.append("exit" if kind is None else kind.__name__)
            return False

    def f(x, log):
        with Note(log) as note:
            x = x * 2
        torch._dynamo.graph_break()
        with Note(log):
            x = x + len(note.log)
        return x
    return f, [(vec(), [])]


@case
def break_in_a_with_whose_manager_swallows_the_error():
    def f(x):
        with contextlib.suppress(ZeroDivisionError):
            x = x + 1
            x = x / (1 // 0)
        torch._dynamo.graph_break()
        return x * 2
    return f, [(vec(),)]


@case
def tensor_hooks():
    def f(x):
        y = x * 2
        y.register_hook(lambda g: g * 3)
        torch._dynamo.graph_break()
        return y.sin()
    return f, [(vec(requires_grad=True),)]


@case
def module_hooks_of_all_kinds():
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            torch.manual_seed(0)
            self.a = torch.nn.Linear(4, 4)
            self.b = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU())
            self.a.register_forward_pre_hook(lambda m, args: (args[0] + 1,))
            self.a.register_forward_hook(lambda m, args, out: out * 2)
            self.b.register_full_backward_hook(lambda m, gi, go: None)

        def forward(self, x, *, twice=False):
            x = self.a(x)
            torch._dynamo.graph_break()
            for _ in range(2 if twice else 1):
                x = self.b(x)
            return x
    return Net(), [(vec(),), (torch.ones(2, 4),)]


@case(inline_inbuilt_nn_modules=False)
def modules_that_are_not_inlined():
    net = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2))
    torch.manual_seed(0)
    for parameter in net.parameters():
        torch.nn.init.uniform_(parameter)

    def f(x):
        y = net(x)
        torch._dynamo.graph_break()
        return net[0](x).sum() + y
    return f, [(vec(),), (torch.ones(3, 4),)]


@case
def dicts_changed_and_replayed():
    def f(x, d, ordered, counts):
        d["new"] = x + 1
        d.pop("old", None)
        d.update(a=x * 2, b=None)
        ordered.move_to_end("first")
        counts["seen"] += 1
        torch._dynamo.graph_break()
        del d["b"]
        d.setdefault("z", []).append(x)
        return sum(v.sum() for v in d.values() if isinstance(v, torch.Tensor)) + len(ordered)
    make = lambda: (vec(), {"old": 1}, collections.OrderedDict(first=1, second=2), collections.defaultdict(int))
    return f, [make(), make()]


@case
def lists_sets_and_globals_changed():
    def f(x, items, members):
        global SCALE
        items.extend([x, x + 1])
        items.insert(0, "head")
        items[1:2] = [1, 2, 3]
        items.reverse()
        members.add(3)
        members.discard(1)
        REGISTRY["last"] = x.shape[0]
        SCALE = 2.0
        torch._dynamo.graph_break()
        items.sort(key=str)
        return x * SCALE + len(items) + len(members)
    return f, [(vec(), [3, 4], {1, 2})]


@case
def deep_closures():
    def f(x):
        a = x + 1
        b = 2

        def one():
            nonlocal b
            c = a * b

            def two():
                nonlocal b
                b += 1
                d = c + b

                def three(k):
                    return a + c + d + k
                torch._dynamo.graph_break()
                return three(b)
            return two() + two()
        torch._dynamo.graph_break()
        return one() * b
    return f, [(vec(),)]


@case
def closure_returned_and_called_later():
    def f(x):
        count = 0
        scale = x.sum()

        def step(y, by=1, *, again=False):
            nonlocal count
            count += by
            return y * scale + count if not again else step(y, by)
        torch._dynamo.graph_break()
        return step

    def use(x):
        step = f(x)
        return step(x) + step(x, 2) + step(x, by=3, again=True)
    return use, [(vec(),), (vec(5),)]


@case
def generators_consumed_in_parts():
    def f(x, n):
        parts = (x * i for i in range(n))
        first = next(parts)
        torch._dynamo.graph_break()
        rest = sum(parts)
        pairs = list(zip(range(n), (x + j for j in range(n)), strict=False))
        return first + rest + pairs[-1][1]
    return f, [(vec(), 3), (vec(), 4)]


@case
def generator_that_delegates_and_cleans_up():
    def parts(x):
        received = yield x
        try:
            yield x + 1
        finally:
            x = x * 2

    def whole(x):
        yield from parts(x)
        yield x * 3

    def f(x):
        return sum(whole(x))
    return f, [(vec(),)]


@case
def dataclasses_and_namedtuples_changed():
    @dataclasses.dataclass
    class State:
        value: torch.Tensor
        steps: int = 0
        names: list = dataclasses.field(default_factory=list)

    Point = collections.namedtuple("Point", "x y")

    def f(x):
        state = State(x)
        state.value = state.value * 2
        state.steps += 1
        state.names.append("a")
        point = Point(x, state.value)._replace(y=x + 1)
        torch._dynamo.graph_break()
        state.names += [f"{point.y.shape[0]}"]
        first, second = point
        return dataclasses.replace(state, steps=5).steps + first * second + state.value, state.names
    return f, [(vec(),), (vec(7),)]


@case
def object_attributes_changed():
    class Box:
        shared = 1

        def __init__(self):
            self.items = []
            self._size = 0

        @property
        def size(self):
            return self._size

        @size.setter
        def size(self, value):
            self._size = value

    box = Box()

    def f(x):
        box.items.append(x.shape[0])
        box.size = x.shape[0] * 2
        torch._dynamo.graph_break()
        box.extra = x + box.size
        return box.extra * Box.shared, len(box.items)
    return f, [(vec(),), (vec(),), (vec(5),)]


@case
def enums_and_frozen_constants():
    class Mode(enum.Enum):
        ADD = 1
        MUL = 2

    def f(x, mode):
        torch._dynamo.graph_break()
        table = {Mode.ADD: torch.add, Mode.MUL: torch.mul}
        kinds = frozenset({torch.float32, torch.int64})
        y = table[mode](x, 3)
        return (y.to(torch.float64), mode, y.dtype in kinds, 1e400, -0.0, 3j, b"x", ..., slice(1, None))[0:2]
    return f, [(vec(), Mode.ADD), (vec(), Mode.MUL)]


@case
def compiler_disable_in_the_middle():
    @torch.compiler.disable
    def log(x, note=""):
        HISTORY.append(note)
        return x.detach().clone()

    def f(x):
        y = x * 2 + log(x, note="one").sum()
        z = [y, log(y), {"k": log(x, note=f"{len(HISTORY) >= 0}")}]
        return z[0] + z[1] + z[2]["k"]
    return f, [(vec(),)]


@case
def recompiles_when_a_global_changes():
    def f(x):
        y = x * SCALE
        torch._dynamo.graph_break()
        return y + SCALE

    def use(x, scale):
        set_scale(scale)
        return f(x)
    return use, [(vec(), 2.0), (vec(), 3.0), (vec(), 4.0)]


@torch.compiler.disable
def set_scale(value):
    global SCALE
    SCALE = value


@case
def fullgraph_that_fails():
    @torch.compile(backend="eager", fullgraph=True)
    def whole(x):
        y = x + 1
        print(end="")
        torch._dynamo.graph_break()
        return y * 2

    @torch.compiler.disable
    def f(x):
        try:
            return whole(x)
        except Exception as error:
            return type(error).__name__
    return f, [(vec(),)]


@case
def marked_dynamic():
    def f(x, y):
        torch._dynamo.graph_break()
        return x[: y.shape[0]] + y

    def marked(n):
        x, y = vec(n + 1), vec(n)
        torch._dynamo.mark_dynamic(y, 0)
        return x, y
    return f, [marked(4), marked(6), marked(9)]


@case
def higher_order_operators():
    def f(x, xs):
        y = torch.cond(x.sum() > 0, lambda t: t.sin() + x, lambda t: t.cos() - x, (x,))
        torch._dynamo.graph_break()
        z = torch.utils.checkpoint.checkpoint(lambda t: (t * 2).relu(), y, use_reentrant=False)
        return torch.func.vmap(lambda t: t * z)(xs)
    import torch.utils.checkpoint
    return f, [(vec(requires_grad=True), torch.ones(3, 4)), (vec() + 2, torch.ones(3, 4))]


@case
def functional_transforms():
    def f(x):
        g = torch.func.grad(lambda t: (t ** 3).sum())
        y = g(x)
        torch._dynamo.graph_break()
        return torch.func.jvp(torch.sin, (x,), (y,))[1]
    return f, [(vec(),)]


@case
def branches_on_data_in_a_row():
    def f(x):
        y = x + 1 if x.sum() > 0 else x - 1
        if y.max() > 2 and y.min() > -3 or not y.mean() > 0:
            y = y * 2
        elif y.sum() > 1:
            y = y * 3
        assert y.shape[0] == 4, "four"
        return y if y.sum() > 0 else -y
    return f, [(vec() + k,) for k in (0, 1, 3, -5)]


@case
def pending_calls_and_keywords_on_the_stack():
    def combine(*args, first=None, **more):
        return sum(args) + first + sum(more.values())

    @torch.compiler.disable
    def number(x, k):
        return float(x.numpy().sum()) + k

    def f(x):
        return combine(x, *[x, number(x, 1)], first=number(x, 2), **{"last": number(x, 3)}) * number(x, 4)
    return f, [(vec(),)]


@case
def exceptions_across_breaks():
    def check(x):
        if x.shape[0] > 4:
            raise ValueError("long")
        return x

    def f(x):
        try:
            y = check(x)
        except ValueError as error:
            y = x[:4] + len(str(error))
        torch._dynamo.graph_break()
        try:
            return check(torch.cat([y, y]))
        except ValueError:
            return y * 2
    return f, [(vec(),), (vec(6),)]


@case
def an_error_for_the_user():
    def f(x, k):
        y = x + 1
        torch._dynamo.graph_break()
        if k:
            raise RuntimeError(f"no {k}")
        return y * 2
    return f, [(vec(), 0), (vec(), 3)]


@case
def inplace_operators_and_subscripts():
    def f(x, table):
        x[1:] *= 2
        table["a"], table["b"] = x[0], (x[1], [x[2]])
        table["c"] = x.T if x.dim() > 1 else x[None]
        torch._dynamo.graph_break()
        (first, *_, last), table["n"] = x, operator.add(1, 2)
        x += first
        return x @ x, last
    return f, [(vec(), {})]


@case
def star_arguments_through_wrappers():
    def noisy(function):
        @functools.wraps(function)
        def call(*args, **kwargs):
            torch._dynamo.graph_break()
            return function(*args, **kwargs)
        return call

    class Layer:
        @noisy
        def apply(self, x, /, scale=1, *, shift=0):
            return x * scale + shift

        @classmethod
        def build(cls):
            return cls()

        @staticmethod
        def double(x):
            return x * 2

    layer = Layer.build()

    def f(x, *rest, **options):
        return layer.double(layer.apply(x, *rest, **options))
    return functools.partial(f, shift=3), [(vec(),), (vec(), 2)]


@case
def many_values_across_a_break():
    def f(x):
        a, b, c, d, e = x + 1, x * 2, "text", 3, [x, {"k": (x - 1, None)}]
        g = f"{c!r:>8}{d}"
        torch._dynamo.graph_break()
        e[1]["k"][0].add_(1)
        return a + b + d + len(g) + e[1]["k"][0], e
    return f, [(vec(),)]
