# compiles to the same code
# The class binds a name of its own; that of the function is bound in dead code alone, and still is no global.
def never_bound(a):
    class C:
        if x := a:
            pass

    return x
    x = 1
