# comes back as written
def f(handle, found):
    while True:
        line = handle.readline()
        if line.end:
            found.append(line)
            break
        if line.begin or not line:
            raise ValueError(line)
        found.append(line)
    return b''.join(found)
