"""Breaks, recompiles, a backward, a failing backend, a reset. Arguments: the backend."""
import sys

import torch


def toy(a, b):
    x = a / (torch.abs(a) + 1)
    if b.sum() < 0:
        b = b * -1
    return x * b


def entries(code):
    return len(torch._dynamo.eval_frame._debug_get_cache_entry_list(code))


def refuse(graph, inputs):
    raise ValueError("no")


def call(function, *args):
    """Who is interrupted asks again."""
    try:
        return function(*args)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return function(*args)


compiled = torch.compile(toy, backend=sys.argv[1])


def once(*calls):
    for size, sign in calls or [(4, 1), (5, -1)]:
        a = torch.arange(1.0, size + 1).requires_grad_()
        result = call(compiled, a, sign * torch.ones(size))
        call(result.sum().backward)
        print(result.tolist(), a.grad.tolist())
    print(entries(toy.__code__))


once((4, 1), (4, -1), (6, -1))
try:
    torch.compile(lambda x: x + 1, backend=refuse)(torch.ones(3))
except KeyboardInterrupt:
    print("interrupted", file=sys.stderr)
    print("InternalError")
except Exception as error:
    print("InternalError")
call(torch._dynamo.reset)
once((4, 1))
print("done", file=sys.stderr)
