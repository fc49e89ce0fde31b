# compiles to the same code
# comes back as written
def f(items):
    while items:
        item = items.pop()
        if item.done: continue
        if item.name in seen or item.name and x: continue
        if item == 2 or not item: continue
        yield item
        seen(item)
