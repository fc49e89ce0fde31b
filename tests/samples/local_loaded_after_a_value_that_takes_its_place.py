def f(heap, item):
    if heap and heap[0] < item:
        item, heap[0] = heap[0], item
        g(heap)
    item, heap.last = g(item), item
    return item
