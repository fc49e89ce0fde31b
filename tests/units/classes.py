"""Classes as people write them."""
from __future__ import annotations
import os.path
from abc import ABC, abstractmethod
from collections.abc import Callable as Called, Iterator

LIMIT: int = 3
kinds = ['a', 'b']


class __Private(ABC, metaclass=type(ABC)):
    """Has private names."""
    __slots__ = ('__x', 'y')
    count: int = 0
    made: Called[[int], str]

    def __init__(self, __x, *, __y=1):
        super().__init__()
        self.__x = __x
        self.y = self.__secret(__y)

    def __secret(self, value):
        try:
            return __class__.__hidden[value]
        except KeyError as __error:
            raise self._Other__x from __error

    @property
    @abstractmethod
    def x(self) -> int:
        """The value."""
        return self.__x

    @x.setter
    def x(self, value: int) -> None:
        self.__x = value

    if os.path.sep == '/':
        sep = '/'
    else:
        sep = os.path.sep

    class Inner(dict):
        def get(self):
            return lambda: (super().get, self.__x)


def outer(base):
    label = 'outer'

    @dec(label)
    class Made(base, key=label):
        label = label
        size = len(label)

        async def f(self, n=label):
            return n, base

    return Made


class Declares:
    global only_read, shared
    shared = 1
    print(only_read)

    def f():
        pass


class Empty:
    pass


class Documented:
    """Nothing else."""
