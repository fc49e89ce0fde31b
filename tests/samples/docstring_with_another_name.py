class A:
    """a"""
    __doc__ = M = "x\n    y"


class B:
    __doc__ = TEXT = "x"
    y = 1


class C:
    __doc__ = "x\n    y"
    z = 1
