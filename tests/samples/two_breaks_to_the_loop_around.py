def f(file, start, end):
    starts, stops = [], []
    while True:
        line = file.readline()
        if line == start:
            starts.append(file.tell())
            while True:
                line = file.readline()
                if line == end:
                    stops.append(file.tell() - len(end))
                    break
                elif not line:
                    stops.append(file.tell())
                    break
        elif not line:
            break
    return dict(zip(starts, stops))
