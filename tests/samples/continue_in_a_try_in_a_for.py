# comes back as written since 3.11
def f(items):
    for item in items:
        try:
            value = item.value
            if value is None:
                print(1)
                continue
            item.use(value)
        except ValueError:
            print(2)
