# compiles to the same code
import logging
import shutil


def f(path, shutil):
    import logging

    shutil.rmtree(path)
    logging.info("gone")
    shutil.rmtree(path)
    return lambda: (logging.debug("called"), shutil.copy(path, path), path.upper())
