"""What `unjit run` puts into the Python that runs the user's program, before that program begins.

Python itself then runs the program, as it does without unjit: the module `__main__`, arguments, tracebacks, signals
and exit status are its own. This file is found as `sitecustomize` through PYTHONPATH. It takes itself out of the
environment, out of `sys.path` and out of `sys.modules`, and leaves two things behind: a function at the exit, and a
finder that never finds anything but sees when `torch` is about to be imported. Until then it imports only
what every Python has loaded already, so a program's own modules can have any name.
"""

from __future__ import annotations

import atexit
import os
import sys

TRIGGER = "torch"  # when it is imported, all that the recorder imports is about to be imported anyway


class Run:
    """One run of a program: what was asked for, and the recording once there is one."""

    def __init__(self, options: str, path: list[str]) -> None:
        self.options = options
        self.path = path  # sys.path without the program's own folder
        self.finders = list(sys.meta_path)
        self.process = os.getpid()
        self.recording: object = None
        self.errors: list[str] = []
        self.before_finalizers = False
        self.concluded = False

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> None:
        """As a finder on `sys.meta_path`: finds nothing; starts to record at the first sight of the trigger."""
        if name == TRIGGER:
            sys.meta_path[:] = [finder for finder in sys.meta_path if finder is not self]
            try:
                self.recording = load_unjit("unjit.cli.in_program.begin").begin(self.options, self.conclude_earlier)
            except Exception as error:
                self.errors.append(f"the recorder did not start: {type(error).__name__}: {error}")

    def conclude_earlier(self) -> None:
        """After a compile: make the exit explain before it runs weakref finalizers, which invalidate cache entries.

        Functions at the exit run last in, first out, and weakref joins them with the first finalizer that is made.
        """
        if not self.before_finalizers:
            atexit.register(self.conclude)  # the one that is registered already finds it done
            self.before_finalizers = getattr(sys.modules["weakref"].finalize, "_registered_with_atexit", True)

    def conclude(self) -> None:
        """As a function at the exit: explain what was recorded, once. Nothing that happens here reaches the program."""
        if self.concluded:
            return
        self.concluded = True
        imports = (sys.path, sys.meta_path)
        sys.path, sys.meta_path = self.path, self.finders
        try:
            if os.getpid() != self.process and not captures(self.options):
                return  # a forked child: its parent explains
            with load_unjit("unjit.capturing.ending.uncaught").interrupt_kept():
                load_unjit("unjit.cli.in_program.conclude").conclude(self)
        except BaseException as error:  # an interrupt, too: the program has ended, only the explanation is cut short
            say(f"unjit: the explanation ended early: {in_words(error)}\n")
        finally:
            sys.path, sys.meta_path = imports


def in_words(error: BaseException) -> str:
    """The class of an error and what it says, if it says anything: unjit's own words may be what cannot be loaded."""
    try:
        text = str(error)
    except Exception:  # of a class of the program's own
        text = ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def say(message: str) -> None:
    """Tell the user, if there is anybody to tell: where stderr is closed, its number may be a file of the program's."""
    if sys.__stderr__ is None:
        return
    try:
        os.write(2, message.encode(errors="replace"))
    except OSError:
        return


def load_unjit(name: str) -> object:
    """Import a module of the unjit that this file belongs to, wherever the program's `sys.path` leads."""
    import importlib.util

    if "unjit" not in sys.modules:
        package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        spec = importlib.util.spec_from_file_location(
            "unjit", os.path.join(package, "__init__.py"), submodule_search_locations=[package]
        )
        assert spec is not None
        assert spec.loader is not None
        sys.modules["unjit"] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return importlib.import_module(name)


def captures(options: str) -> bool:
    """Whether a directory was asked for, read without importing what reads JSON."""
    return '"out": null' not in options


def leave_no_trace(folder: str) -> None:
    """Put the environment and the import system back as they are without this file."""
    sys.path[:] = [entry for entry in sys.path if entry != folder]
    sys.path_importer_cache.pop(folder, None)
    options = os.environ.pop("UNJIT_RUN", None)
    if options is None:
        return
    if captures(options):  # the program's children join
        joining = options.replace('"joins": false', '"joins": true')
        rank = os.environ.get("RANK", "")
        if rank.isdigit():
            joining = joining.replace('"parent": null', f'"parent": "rank_{rank}"')
        os.environ["UNJIT_RUN"] = joining
        return
    original = os.environ.pop("UNJIT_PYTHONPATH", None)
    if original is None:
        del os.environ["PYTHONPATH"]
    else:
        os.environ["PYTHONPATH"] = original


def arm(options: str) -> None:
    """Record from the first sight of torch on, and explain at the exit."""
    run = Run(options, list(sys.path))
    sys.meta_path.insert(0, run)
    atexit.register(run.conclude)


def begin() -> None:
    """Arm the run, then let the sitecustomize of the user's environment, if there is one, take this one's place.

    A further interpreter in a process that has begun finds this file, too, as its path is made anew, but no options.
    """
    try:
        options = os.environ.get("UNJIT_RUN")
        leave_no_trace(os.path.dirname(os.path.abspath(__file__)))
        if options is not None:
            arm(options)
    except Exception as error:
        say(f"unjit: nothing is recorded: {in_words(error)}\n")
    del sys.modules["sitecustomize"]
    import sitecustomize  # noqa: F401 (an ImportError here is what `site` expects where there is none)


begin()
