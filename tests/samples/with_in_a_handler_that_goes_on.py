def f(lock, logger, forks):
    with lock:
        if forks or not logger:
            return
        victims = str(logger)
    logger.warning(victims)
