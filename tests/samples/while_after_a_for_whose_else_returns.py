# compiles to the same code
def f(a):
    for k, node in enumerate(a.children):
        if node.type == a.SEMI:
            break
    else:
        return
    node.remove()
    while a.children[k:]:
        moved = a.children[k]
        moved.remove()
    print(node)
