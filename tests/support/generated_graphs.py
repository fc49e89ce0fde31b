"""Random control flow assembled as bytecode: blocks in any order, any jumps, ranges protected by any handlers."""

from __future__ import annotations

import dis
from random import Random
from types import CodeType

from foreign import assembled, varint
from unjit.bytecode import versions as v

LOCALS = ("a", "b", "c", "x", "y")
NAMES = ("p", "q", "r", "s", "Exception")
Written = tuple[str, int]
SUBSCRIPT: Written = ("BINARY_OP", v.SUBSCRIPT) if v.PY314 else ("BINARY_SUBSCR", 0)
TO_BOOL: list[Written] = [("TO_BOOL", 0)] if v.PY313 else []


class Graph:
    """A function f(a, b, c) of `blocks` blocks: each does something, then goes to one or two others, or returns."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.count = self.random.randint(2, 9)
        self.starts: list[int] = []
        self.data = b""
        self.jumps: list[tuple[int, int]] = []  # where a jump with a two-unit argument stands, to which block

    def code(self) -> CodeType:
        self.data = assembled(*_BEGIN, ("LOAD_FAST", 0), ("STORE_FAST", 3), ("LOAD_FAST", 1), ("STORE_FAST", 4))
        stubs: list[tuple[int, int]] = []
        for _ in range(self.count):
            self.starts.append(len(self.data))
            self.block(stubs)
        handlers = self.handlers() if v.PY311 else b""
        for at, block in stubs:
            self.aim(at, len(self.data))
            self.jump(block)
        for at, block in self.jumps:
            self.aim(at, self.starts[block])
        return self.made(handlers)

    def made(self, handlers: bytes) -> CodeType:
        def f(a, b, c):
            x = y = a
            return x, y

        tables = {"co_exceptiontable": handlers, "co_linetable": b""} if v.PY311 else {"co_linetable": b""}
        return f.__code__.replace(
            co_code=self.data, co_names=NAMES, co_consts=(None,), co_varnames=LOCALS, co_stacksize=9, **tables
        )

    def block(self, stubs: list[tuple[int, int]]) -> None:
        self.data += assembled(self.load(), self.load(), ("STORE_ATTR", 0))  # an event, so that no run goes on for ever
        for _ in range(self.random.randint(0, 2)):
            self.data += assembled(*self.act())
        way = self.random.random()
        if way < 0.2:
            self.data += assembled(self.load(), ("RETURN_VALUE", 0))
            return
        if way < 0.75:
            self.data += assembled(self.load(), *TO_BOOL)
            stubs.append((len(self.data), self.random.randrange(self.count)))
            test = self.random.choice(("TRUE", "FALSE"))
            self.data += _wide(f"POP_JUMP_FORWARD_IF_{test}" if v.PYTHON == (3, 11) else f"POP_JUMP_IF_{test}")
        self.jump(self.random.randrange(self.count))

    def act(self) -> list[Written]:
        name = self.random.randrange(4)
        return self.random.choice((
            [self.load(), self.load(), ("STORE_ATTR", name)],
            [self.load(), ("DELETE_ATTR", name)],
            [self.load(), self.load(), SUBSCRIPT, ("STORE_FAST", 2 + self.random.randrange(3))],
            [self.load(), self.load(), self.load(), ("STORE_SUBSCR", 0)],
            [self.load(), ("STORE_FAST", self.random.randrange(len(LOCALS)))],
        ))  # fmt: skip

    def load(self) -> Written:
        return "LOAD_FAST", self.random.randrange(len(LOCALS))

    # ------------------------------------------------------------ jumps
    def jump(self, block: int) -> None:
        """An unconditional jump; from 3.11 on its name says which way it goes, so the target must be known or ahead."""
        self.jumps.append((len(self.data), block))
        ahead = block >= len(self.starts)
        self.data += _wide("JUMP_ABSOLUTE" if not v.PY311 else "JUMP_FORWARD" if ahead else "JUMP_BACKWARD")

    def aim(self, at: int, target: int) -> None:
        """Give the jump at an offset its argument, which has two units of room."""
        op = dis.opname[self.data[at + 2]]
        after = at + 4 + 2 * v.CACHES.get(op, 0)
        distance = (target if not v.PY311 else abs(target - after)) // 2
        made = bytearray(self.data)
        made[at + 1], made[at + 3] = distance >> 8, distance & 255
        self.data = bytes(made)

    # ------------------------------------------------------------ handlers
    def handlers(self) -> bytes:
        """Handlers after the blocks, and the table that gives runs of blocks to them, the later runs inside."""
        bounds = [*self.starts, len(self.data)]
        protects: list[int | None] = [None] * self.count
        own = b""
        for _ in range(self.random.choice((0, 0, 1, 1, 2))):
            first = self.random.randrange(self.count)
            for block in range(first, self.random.randint(first + 1, self.count)):
                protects[block] = len(self.data)
            own += self.handler()
        return b"".join(
            row(bounds[k], bounds[k + 1], handler) for k, handler in enumerate(protects) if handler is not None
        ) + own  # fmt: skip

    def handler(self) -> bytes:
        """`except Exception:`, which goes on at some block; its own row of the table."""
        start = len(self.data)
        jump = "POP_JUMP_FORWARD_IF_FALSE" if v.PYTHON == (3, 11) else "POP_JUMP_IF_FALSE"
        caught = ("LOAD_GLOBAL", NAMES.index("Exception") << 1)
        self.data += assembled(("PUSH_EXC_INFO", 0), caught, ("CHECK_EXC_MATCH", 0))
        test = len(self.data)
        self.data += _wide(jump) + assembled(("POP_TOP", 0), ("POP_EXCEPT", 0))
        self.jump(self.random.randrange(self.count))
        self.aim(test, len(self.data))
        self.data += assembled(("RERAISE", 0))
        cleanup = len(self.data)
        self.data += assembled(("COPY", 3), ("POP_EXCEPT", 0), ("RERAISE", 1))
        return row(start, cleanup, cleanup, depth=1, lasti=True)


def row(start: int, end: int, handler: int, *, depth: int = 0, lasti: bool = False) -> bytes:
    """A row of an exception table."""
    numbers = varint((end - start) // 2) + varint(handler // 2) + varint(depth << 1 | lasti)
    return varint(start // 2, first=True) + numbers


_BEGIN: tuple[Written, ...] = (("RESUME", 0),) if v.PY311 else ()


def _wide(op: str) -> bytes:
    """A jump with room for an argument of two bytes."""
    return bytes((dis.EXTENDED_ARG, 0, dis.opmap[op], 0)) + bytes(2 * v.CACHES.get(op, 0))
