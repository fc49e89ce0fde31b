"""`unjit run` against plain `python`, as pairs of processes: the program must not be able to tell the difference."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

import pytest

SCRIPT = str(Path(sys.executable).parent / "unjit")
PYTHON = Path(SCRIPT).read_text().splitlines()[0].removeprefix("#!")  # the one that the script runs
UNJIT = [sys.executable, "-m", "unjit", "run"]


@dataclass(frozen=True)
class Outcome:
    status: int
    stdout: str
    stderr: str


def start(command, folder, *, given="", env=None):
    """Run a command to its end; stderr without the lines of unjit, which begin at its headline."""
    done = subprocess.run(
        command,
        cwd=folder,
        input=given,
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    stderr = re.sub(r"^unjit: .*", "", done.stderr, flags=re.DOTALL | re.MULTILINE)
    return Outcome(done.returncode, without_addresses(done.stdout), without_addresses(stderr))


def without_addresses(text):
    return re.sub(r"0x[0-9a-f]+", "0x", text)


def check_same(folder, arguments, **options):
    """Both processes end in the same way and print the same."""
    plain = start([PYTHON, *arguments], folder, **options)
    ours = start([SCRIPT, "run", *arguments], folder, **options)
    assert ours == plain
    return plain


PROGRAMS = {
    "arguments": """
        import sys
        print(sys.argv, sys.orig_argv[1:], sys.path, sys.flags, __name__, __file__, __spec__, __package__, __doc__)
        """,
    "names_in_main": """
        import sys
        print(sorted(globals()), __builtins__, __annotations__ if "__annotations__" in globals() else None)
        print(__loader__.__class__, __loader__.name, __loader__.path, sys.modules["__main__"].__dict__ is globals())
        """,
    "annotations": """
        x: int = 3
        def f(a: "Later") -> None: ...
        print(f.__annotations__, __annotations__)
        """,
    "no_frames_above": """
        import sys, inspect
        print(sys._getframe().f_back, len(inspect.stack()), inspect.stack()[-1].filename)
        """,
    "modules_loaded": """
        import sys
        print(sorted(name for name in sys.modules if "unjit" in name), "sitecustomize" in sys.modules)
        print(sorted(sys.path_importer_cache))
        """,
    "environment": """
        import os
        print({key: value for key, value in os.environ.items() if "UNJIT" in key or "PYTHON" in key})
        """,
    "environment_of_children": """
        import subprocess, sys
        print(subprocess.run([sys.executable, "-c", "import sys, os; print(sys.path, sys.meta_path.__len__(), "
              "os.environ.get('PYTHONPATH'), 'logging' in sys.modules)"], capture_output=True, text=True))
        """,
    "source": """
        import inspect
        def f():
            # a comment
            return 1
        print(inspect.getsource(f))
        """,
    "pickle": """
        import pickle
        class Box:
            def __init__(self, v): self.v = v
        def f(): return 5
        print(pickle.loads(pickle.dumps(Box(3))).v, pickle.loads(pickle.dumps(f))(), Box.__module__)
        """,
    "spawn": """
        import multiprocessing as mp
        def double(x): return x * 2
        if __name__ == "__main__":
            with mp.get_context("spawn").Pool(1) as pool:
                print(pool.map(double, [1, 2]))
        """,
    "fork_pool": """
        import multiprocessing as mp
        def double(x): return x * 2
        if __name__ == "__main__":
            with mp.get_context("fork").Pool(1) as pool:
                print(pool.map(double, [1, 2]))
        """,
    "fork_by_hand": """
        import os, sys
        print("before", flush=True)
        child = os.fork()
        if child == 0:
            print("child", flush=True)
            sys.exit(7)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """,
    "exit_text": "import sys; sys.exit('words')",
    "exit_number": "import sys; sys.exit(3)",
    "exit_big_number": "import sys; sys.exit(1000)",
    "exit_none": "import sys; sys.exit()",
    "exit_object": "import sys; sys.exit([1])",
    "raise_system_exit": "raise SystemExit(4)",
    "os_exit": "import os; print('x', flush=True); os._exit(5)",
    "exception": """
        def inner(): raise ValueError("bad")
        def outer():
            try: inner()
            except ValueError as error: raise KeyError("worse") from error
        outer()
        """,
    "exception_with_notes_and_context": """
        try: 1 / 0
        except ZeroDivisionError: [][1]
        """,
    "deep_recursion": """
        import sys
        def f(n): return f(n + 1)
        try: f(0)
        except RecursionError as error: print(error, sys.getrecursionlimit())
        def depth(n=0):
            try: return depth(n + 1)
            except RecursionError: return n
        print(depth())
        """,
    "excepthook": """
        import sys, traceback
        def hook(kind, value, trace):
            print("HOOK", kind, value, len(traceback.extract_tb(trace)), file=sys.stderr)
        sys.excepthook = hook
        1 / 0
        """,
    "syntax_error": "def f(:\n",
    "null_bytes": "x = 1\0",
    "wrong_encoding": "x = '\x80'",
    "encoding_cookie": "# -*- coding: latin-1 -*-\nprint(ascii('\xe9'))",
    "keyboard_interrupt": "raise KeyboardInterrupt",
    "keyboard_interrupt_that_a_prompt_took": """
        import code
        code.InteractiveInterpreter().runsource("raise KeyboardInterrupt")
        """,
    "interrupt_signal": "import os, signal; os.kill(os.getpid(), signal.SIGINT); import time; time.sleep(5)",
    "terminated": "import os, signal; os.kill(os.getpid(), signal.SIGTERM); import time; time.sleep(5)",
    "killed": "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
    "aborted": "import os; os.abort()",
    "handled_signal": """
        import os, signal, sys
        signal.signal(signal.SIGTERM, lambda *_: sys.exit("caught"))
        os.kill(os.getpid(), signal.SIGTERM)
        """,
    "exit_functions": """
        import atexit
        for number in range(3): atexit.register(print, "bye", number)
        """,
    "exit_function_that_raises": """
        import atexit
        atexit.register(lambda: 1 / 0)
        """,
    "threads": """
        import threading, time
        def late():
            time.sleep(0.2); print("late")
        threading.Thread(target=late).start()
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        print("main ends")
        """,
    "thread_that_raises": """
        import threading
        threading.Thread(target=lambda: 1 / 0, name="T").start()
        """,
    "stdin": "import sys; print(sys.stdin.read().upper(), input.__name__)",
    "stdout_bytes": "import sys; sys.stdout.buffer.write(bytes(range(32, 127))); sys.stdout.write('x')",
    "unflushed_stdout": "import sys; sys.stdout.write('no newline')",
    "closed_streams": "import sys; sys.stdout.close(); sys.stderr.close()",
    "redirected_streams": """
        import sys, io
        sys.stdout = io.StringIO(); sys.stderr = io.StringIO()
        print("kept")
        """,
    "warnings": "import warnings; warnings.warn('careful'); warnings.warn('deep', stacklevel=2)",
    "asyncio": """
        import asyncio
        async def main(): await asyncio.sleep(0.01); print("done")
        asyncio.run(main())
        """,
    "teardown": """
        class Last:
            def __del__(self): print("deleted")
        kept = Last()
        """,
    "changes_directory": "import os, shutil; os.chdir('/'); print(os.getcwd())",
    "replaces_main": "import sys, types; sys.modules['__main__'] = types.ModuleType('__main__'); print(1)",
    "deletes_meta_path": "import sys; sys.meta_path.clear(); sys.path.clear(); print(1)",
    "logging_from_scratch": """
        import logging.config
        print(logging.getLogger().handlers, list(logging.root.manager.loggerDict))
        logging.config.dictConfig({"version": 1, "disable_existing_loggers": True})
        logging.basicConfig(); logging.warning("w")
        """,
    "future_import_does_not_leak": "def f(a: undefined_name = 1): ...",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_same_as_python(name, tmp_path):
    (tmp_path / "program.py").write_text(textwrap.dedent(PROGRAMS[name]).lstrip("\n"), encoding="latin-1")
    check_same(tmp_path, ["program.py", "one", "--two", "-m", "--json"], given="some input")


@pytest.mark.parametrize("name", ["arguments", "names_in_main", "exception", "spawn", "source", "keyboard_interrupt"])
def test_same_as_python_with_a_module(name, tmp_path):
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("print('package', __name__)\n")
    (package / "part.py").write_text(textwrap.dedent(PROGRAMS[name]).lstrip("\n"))
    (package / "__main__.py").write_text("import sys; print(sys.argv, __spec__.name)\n")
    check_same(tmp_path, ["-m", "package.part", "one", "-v"])
    check_same(tmp_path, ["-m", "package", "--only", "x"])
    check_same(tmp_path, ["-mpackage", "x"])


def test_same_for_folders_archives_and_stdin(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "__main__.py").write_text("import sys; print(sys.argv, sys.path[0], __file__, __spec__)\n")
    archive = tmp_path / "program.pyz"
    subprocess.run([sys.executable, "-m", "zipapp", folder, "-o", archive], check=True)
    check_same(tmp_path, ["folder", "x"])
    check_same(tmp_path, ["program.pyz", "x"])
    check_same(tmp_path, ["-c", PROGRAMS["arguments"].replace("\n        ", "\n").replace("__file__, ", ""), "x", "-m"])
    check_same(tmp_path, ["-cimport sys; sys.exit(7)"])
    assert "Error" not in check_same(tmp_path, ["-", "x"], given="import sys; print(sys.argv, sys.path[0])").stderr


def test_same_for_paths_of_all_kinds(tmp_path):
    below = tmp_path / "a b" / "ü"
    below.mkdir(parents=True)
    (below / "prog ram.py").write_text(textwrap.dedent(PROGRAMS["arguments"]))
    (tmp_path / "link.py").symlink_to(below / "prog ram.py")
    for path in ("a b/ü/prog ram.py", str(below / "prog ram.py"), "link.py", "./link.py", "a b/../link.py"):
        assert check_same(tmp_path, [path]).status == 0


@pytest.mark.parametrize(
    "arguments",
    [["nowhere.py"], ["."], ["-m", "no_such_module"], ["-m", "no.such.module"], ["-m", "json"]],
)
def test_what_cannot_start_is_said_by_python_alone(arguments, tmp_path):
    plain = start([sys.executable, *arguments], tmp_path)
    ours = subprocess.run([*UNJIT, *arguments], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert (ours.returncode, ours.stdout) == (plain.status, plain.stdout)
    assert ours.stderr == plain.stderr
    assert plain.status != 0


@pytest.mark.parametrize("value", [None, "", "somewhere", "one:two", ":", "/nowhere:"])
def test_pythonpath_is_the_users_own(value, tmp_path):
    (tmp_path / "program.py").write_text("import os, sys; print(os.environ.get('PYTHONPATH'), sys.path)\n")
    environment = {key: text for key, text in os.environ.items() if key != "PYTHONPATH"}
    environment.update({} if value is None else {"PYTHONPATH": value})
    outputs = [
        subprocess.run(
            [*command, "program.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        ).stdout
        for command in ([sys.executable], UNJIT)
    ]
    assert outputs[0] == outputs[1] != ""


def test_a_sitecustomize_of_the_users_own_still_runs(tmp_path):
    own = tmp_path / "own"
    own.mkdir()
    (own / "sitecustomize.py").write_text("import sys; sys.mine = 1\n")
    (tmp_path / "program.py").write_text("import sys, sitecustomize; print(sys.mine, sitecustomize.__file__)\n")
    assert "1 /" in check_same(tmp_path, ["program.py"], env={"PYTHONPATH": str(own)}).stdout


def test_a_further_interpreter_begins_as_without(tmp_path):
    own = tmp_path / "own"
    own.mkdir()
    (own / "sitecustomize.py").write_text("import sys; sys.mine = 1\n")
    (tmp_path / "program.py").write_text(
        textwrap.dedent("""
            try:
                import _interpreters as interpreters
            except ImportError:
                import _xxsubinterpreters as interpreters
            made = interpreters.create()
            says = "print(sys.mine, sys.path, os.environ.get('PYTHONPATH'), flush=True)"
            interpreters.run_string(made, f"import os, sys; {says}")
            interpreters.destroy(made)
        """)
    )
    done = check_same(tmp_path, ["program.py"], env={"PYTHONPATH": str(own)})
    assert done.stdout.startswith("1 [")


def test_modules_of_the_program_may_have_any_name(tmp_path):
    for name in ("json", "typing", "unjit", "dis", "platform", "argparse", "dataclasses"):
        (tmp_path / f"{name}.py").write_text(f"print('mine:', {name!r})\n")
    (tmp_path / "program.py").write_text("import json, typing, unjit, dis\n")
    assert check_same(tmp_path, ["program.py"]).stdout.count("mine:") == 4


def test_options_of_python_reach_the_program(tmp_path):
    (tmp_path / "program.py").write_text("import sys; print(sys.flags, sys.warnoptions, sys._xoptions, sys.argv)\n")
    for options in (["-O"], ["-OO", "-B"], ["-X", "dev"], ["-W", "error"], ["-u"], ["-Xutf8"], ["-s", "-P"][:1]):
        plain = start([sys.executable, *options, "program.py", "-x"], tmp_path)
        assert start([sys.executable, *options, "-m", "unjit", "run", "program.py", "-x"], tmp_path) == plain
    for joined in (["-Om", "unjit"], ["-Omunjit"]):
        plain = start([sys.executable, "-O", "program.py", "-x"], tmp_path)
        assert start([sys.executable, *joined, "run", "program.py", "-x"], tmp_path) == plain


def test_python_options_that_would_keep_us_out_are_refused(tmp_path):
    (tmp_path / "program.py").write_text("print('ran')\n")
    done = subprocess.run(
        [sys.executable, "-E", "-m", "unjit", "run", "program.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "ignores the environment variables" in done.stderr


def test_an_interrupt_from_outside_ends_it_as_python(tmp_path):
    (tmp_path / "program.py").write_text("import time\nprint('ready', flush=True)\ntime.sleep(60)\n")
    statuses = []
    for command in ([sys.executable], UNJIT):
        process = subprocess.Popen(
            [*command, "program.py"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        error = process.communicate(timeout=30)[1]
        statuses.append((process.returncode, error.count("KeyboardInterrupt"), error.count('File "')))
    assert statuses[0] == statuses[1] == (-signal.SIGINT, 1, 1)


@pytest.mark.parametrize("stream", [1, 2])
def test_streams_that_cannot_be_written(stream, tmp_path):
    """Closed, a broken pipe or a full disk: the status is Python's own."""
    (tmp_path / "program.py").write_text("print('x')\n")
    for redirection in (f"{stream}>&-", f"{stream}>/dev/full", f"{stream}> >(true); sleep 0.2"):
        shell = [f"{' '.join(command)} program.py {redirection}" for command in ([sys.executable], UNJIT)]
        codes = [
            subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, timeout=60, check=False).returncode
            for line in shell
        ]
        assert codes[0] == codes[1], redirection
