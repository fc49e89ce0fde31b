def f(files, hits, log):
    try:
        for name in files:
            hits += name(log)
        log(f"Hits found: {hits}" if hits else "No hits.")
    except AttributeError:
        pass
