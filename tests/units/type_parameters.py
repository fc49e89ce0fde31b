# py>=3.12
type A = int
type B[T] = list[T]


def f[T: int, *Ts, **P](a: T, b=3, *, c: T = 4) -> T:
    return a


@deco
class C[T: (int, str)](Base, k=T):
    """Generic."""
    x: T

    @classmethod
    def m[U](self, y: U) -> T:
        return self.__z
    type I = x
    type __J[V] = (V, T)

    async def n(self, z: T=x) -> T:
        return z


class D[T, S](*bases):
    pass


def g():

    @dec(1)
    def h[T: g](x: T, *, k=g):
        return T
    return h


class Outer:
    label = 1

    def method[T: label](self) -> T:
        return super().method

    class Inner[T: label]:
        y: label = label
