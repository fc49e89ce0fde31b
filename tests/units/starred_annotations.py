# py>=3.11
def of_arguments(Ts, a, b):
    def made(x: a(), *args: *Ts, y: b() = b):
        return x

    def computed(*args: *tuple[int, *Ts]):
        return args

    def chosen(*args: *(Ts if a else b)):
        return args

    class C:
        def m(self, *__args: *Ts):
            return self

    return made, computed, chosen, C
