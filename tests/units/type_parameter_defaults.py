# py>=3.13
type D[T = int, *Ts = *tuple[int, ...], **P = [int]] = T


def k[T: int = str](x: T):
    pass


class E[T = int]:
    z: T


class F:
    def k[*Ts = *tuple[E, ...]](self, x, *, y: Ts = 1, z=2):
        pass
