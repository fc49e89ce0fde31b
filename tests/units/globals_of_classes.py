"""An annotation asks the class for its names first, but for those that it declares to be global (3.14 on)."""


class Solver:
    global engine
    import engine

    kind: engine.Kind

    def solve(self, how: engine.How, times: int):
        return engine.solve(how, times)
