"""What a method defines may be private to its class, which is then shown around it: its name is that of a global."""


class Engine(Base):
    def __new__(cls, kind):
        def __made(name):
            return Engine, name

        made = super().__new__(cls)
        return __made(made)
