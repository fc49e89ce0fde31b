"""The ways to spoil a node of the syntax, by its class: each changes the node in place, or answers False."""

from __future__ import annotations

import ast
import copy

COMPARISONS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip


def calls(node: ast.AST) -> bool:
    return any(isinstance(part, (ast.Call, ast.Await, ast.Yield)) for part in ast.walk(node))


def leaves(node: ast.AST) -> bool:
    return isinstance(node, (ast.Return, ast.Raise, ast.Break, ast.Continue))


def negate_test(node):
    node.test = ast.UnaryOp(ast.Not(), node.test)


def swap_arms(node):
    if not node.orelse or ast.dump(ast.Module(node.body, [])) == ast.dump(ast.Module(node.orelse, [])):
        return False
    node.body, node.orelse = node.orelse, node.body


def swap_branches(node):
    node.body, node.orelse = node.orelse, node.body
    return ast.dump(node.body) != ast.dump(node.orelse)


def change_comparison(node):
    node.ops[0] = COMPARISONS[type(node.ops[0])]()


def swap_compared(node):
    one, other = node.left, node.comparators[0]
    if ast.dump(one) == ast.dump(other) or isinstance(node.ops[0], (ast.Is, ast.IsNot)):
        return False
    node.left, node.comparators[0] = other, one


def change_constant(node):
    value = node.value
    if isinstance(value, bool):
        node.value = not value
    elif isinstance(value, (int, float, complex)):
        node.value = value + 1
    elif isinstance(value, str):
        node.value = value + "x"
    elif isinstance(value, bytes):
        node.value = value + b"x"
    else:
        node.value = 17


def change_type(node):
    if type(node.value) is int:
        node.value = float(node.value)
    elif type(node.value) is bool:
        node.value = int(node.value)
    elif isinstance(node.value, float):
        node.value = -0.0 if node.value == 0 else int(node.value)
    else:
        return False


def change_attribute(node):
    node.attr += "_"


def rename_load(node):
    if not isinstance(node.ctx, ast.Load):
        return False
    node.id += "_"


def rename_store(node):
    if not isinstance(node.ctx, ast.Store):
        return False
    node.id += "_"


def swap_operands(node):
    if ast.dump(node.left) == ast.dump(node.right):
        return False
    node.left, node.right = node.right, node.left


def change_operator(node):
    node.op = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()


def swap_junction(node):
    node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()


def swap_conditions(node):
    if ast.dump(node.values[0]) == ast.dump(node.values[1]):
        return False
    node.values[:2] = node.values[1::-1]


def swap_arguments(node):
    if len(node.args) < 2 or ast.dump(node.args[0]) == ast.dump(node.args[1]):
        return False
    node.args[:2] = node.args[1::-1]


def drop_argument(node):
    if not node.args:
        return False
    node.args.pop()


def drop_keyword(node):
    if not node.keywords:
        return False
    node.keywords.pop()


def rename_keyword(node):
    if not node.keywords or not node.keywords[0].arg:
        return False
    node.keywords[0].arg += "_"


def drop_call(node):
    if not node.args or isinstance(node.args[0], ast.Starred):
        return False
    node.func, node.args, node.keywords = ast.Name("list", ast.Load()), [node.args[0]], []


def break_to_continue(node):
    node.__class__ = ast.Continue


def continue_to_break(node):
    node.__class__ = ast.Break


def return_other(node):
    if node.value is None:
        return False
    node.value = ast.Constant(17)


def return_pair(node):
    if node.value is None:
        return False
    node.value = ast.Tuple([node.value, ast.Name("zz", ast.Load())], ast.Load())


def drop_handler(node):
    if len(node.handlers) < 2:
        return False
    node.handlers.pop()


def swap_handlers(node):
    if len(node.handlers) < 2 or node.handlers[-1].type is None:
        return False
    node.handlers.reverse()


def drop_finally(node):
    if not node.finalbody or not node.handlers:
        return False
    node.finalbody = []


def finally_to_else(node):
    if not node.finalbody or not node.handlers:
        return False
    node.orelse, node.finalbody = node.orelse + node.finalbody, []


def else_into_try(node):
    if not node.orelse or not calls(node.orelse[0]):
        return False
    node.body, node.orelse = node.body + node.orelse, []


def loop_else_after(node):
    if not node.orelse:
        return False
    node.body, node.orelse = node.body + node.orelse, []


def widen_handler(node):
    if node.type is None or node.name:
        return False
    node.type = None


def rename_handled(node):
    if not node.name:
        return False
    node.name += "_"


def reraise_at_end(node):
    node.body.append(ast.Raise())
    return not leaves(node.body[-2])


def drop_cause(node):
    if node.cause is None:
        return False
    node.cause = None


def raise_again(node):
    if node.exc is None:
        return False
    node.exc = None
    node.cause = None


def unalias(node):
    """One object under two names becomes two objects."""
    if len(node.targets) < 2 or isinstance(node.value, (ast.Constant, ast.Name)):
        return False
    node.targets = [ast.Tuple(node.targets, ast.Store())]
    node.value = ast.Tuple([node.value, copy.deepcopy(node.value)], ast.Load())


def drop_target(node):
    if len(node.targets) < 2:
        return False
    node.targets.pop()


def swap_elements(node):
    if len(node.elts) < 2 or ast.dump(node.elts[0]) == ast.dump(node.elts[1]):
        return False
    node.elts[:2] = node.elts[1::-1]


def drop_element(node):
    if not node.elts:
        return False
    node.elts.pop()


def swap_managers(node):
    if len(node.items) < 2:
        return False
    node.items[:2] = node.items[1::-1]


def drop_condition(node):
    if not node.ifs:
        return False
    node.ifs.pop()


def negate_operand(node):
    if isinstance(node.op, ast.Not):
        return False
    node.op = ast.Not()


def change_step(node):
    node.lower, node.upper = node.upper, node.lower
    return (node.lower and ast.dump(node.lower)) != (node.upper and ast.dump(node.upper))


def swap_pairs(node):
    if len(node.keys) < 2:
        return False
    node.keys[:2], node.values[:2] = node.keys[1::-1], node.values[1::-1]


def yield_nothing(node):
    if node.value is None:
        return False
    node.value = None


def plain_assignment(node):
    value = ast.BinOp(ast.Name("zz", ast.Load()), node.op, node.value)
    target = node.target
    node.__class__ = ast.Assign
    node.targets, node.value = [target], value


def default_dropped(node):
    if not node.defaults:
        return False
    node.defaults[-1] = ast.Constant(18)


OF_KIND = {
    ast.If: (negate_test, swap_arms),
    ast.While: (negate_test, loop_else_after),
    ast.For: (loop_else_after,),
    ast.IfExp: (negate_test, swap_branches),
    ast.Compare: (change_comparison, swap_compared),
    ast.Constant: (change_constant, change_type),
    ast.Attribute: (change_attribute,),
    ast.Name: (rename_load, rename_store),
    ast.BinOp: (swap_operands, change_operator),
    ast.AugAssign: (change_operator, plain_assignment),
    ast.BoolOp: (swap_junction, swap_conditions),
    ast.UnaryOp: (negate_operand,),
    ast.Call: (swap_arguments, drop_argument, drop_keyword, rename_keyword, drop_call),
    ast.Break: (break_to_continue,),
    ast.Continue: (continue_to_break,),
    ast.Return: (return_other, return_pair),
    ast.Try: (drop_handler, swap_handlers, drop_finally, finally_to_else, else_into_try),
    ast.ExceptHandler: (widen_handler, rename_handled, reraise_at_end),
    ast.Raise: (drop_cause, raise_again),
    ast.Assign: (unalias, drop_target),
    ast.Tuple: (swap_elements, drop_element),
    ast.List: (swap_elements, drop_element),
    ast.Set: (swap_elements, drop_element),
    ast.Dict: (swap_pairs,),
    ast.With: (swap_managers,),
    ast.AsyncWith: (swap_managers,),
    ast.comprehension: (drop_condition,),
    ast.Slice: (change_step,),
    ast.Yield: (yield_nothing,),
    ast.arguments: (default_dropped,),
}
