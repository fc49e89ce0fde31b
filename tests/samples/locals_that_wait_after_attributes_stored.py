# compiles to the same code
"""A local put on the stack while an attribute or item is stored before it, and changed before it is stored itself."""


def f(self, prev, cur, x, i, j):
    self.node, prev, cur = cur.next, self.node, prev
    prev, self.node, cur = self.node, cur.next, prev
    cur.next, prev, cur = prev, cur, cur.next
    x[0], i, j = j, x[0], i
    x.a, x.b, i = i, x.a, x
    x[i:j], i, j = x, j, i
    return prev, cur, i, j
