"""From 3.13 on a class notes the attributes of `self` that are assigned where nothing comes."""


class A:
    def f(self):
        self.a = 1
        return 2
        self.b = 3
    def g(self):
        if False:
            self.c = 4
        self.d += 1
class B:
    def f(self, x):
        self.a = 1
        return 2
        self.__b = 3
    @property
    def g(self):
        return x
class C:
    def g(this):
        return 1
        def inner():
            self.z = 3


class D:
    if A:

        def f(self):
            self.x = 1

    else:

        def f(self):
            self.y += 1
            return 2
            self.z = 3

    def g(self):
        class E:
            def h(self):
                self.w = 3
