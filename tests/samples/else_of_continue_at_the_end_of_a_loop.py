# comes back as written
def f(items):
    for item in items:
        if item.first:
            print(1)
        elif item.second:
            print(2)
        else:
            continue
    print(3)
