# comes back as written
"""A class notes them as they are written, and its methods have them with the name of the class before them (3.13 on)."""


def f(start):
    class Counter:
        def __init__(self):
            self.__count = start

        def more(self):
            self.__count += 1
            return self.__count

    return Counter
