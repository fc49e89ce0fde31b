# compiles to the same code
def f(s, o, a):
    for record in s:
        if o:
            while a:
                try:
                    n = a(record)
                except StopIteration:
                    break
