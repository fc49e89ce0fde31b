# open: an item taken by a loop that never comes round belongs to no for loop
def f(a, b):
    for x in a[g(a)]:
        return b
