# py>=3.13
"""A class notes attributes as they are written: here with its name before one, as the code has it."""


class Counter:
    def more(self):
        self._Counter__count = 1

    def much_more(self):
        self.__step = 2
        return self._Counter__count + self.__step
