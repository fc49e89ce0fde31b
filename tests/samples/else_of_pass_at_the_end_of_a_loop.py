# comes back as written since 3.11
def f(items):
    for item in items:
        if item.first:
            print(1)
        elif item.second:
            print(2)
        else:
            pass
    print(3)
