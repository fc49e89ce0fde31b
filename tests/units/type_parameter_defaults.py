# py>=3.13
type D[T = int, *Ts = *tuple[int, ...], **P = [int]] = T


def k[T: int = str](x: T):
    pass


class E[T = int]:
    z: T
