"""Pages of the documentation run as a reader would run them: block after block, in an empty folder.

What a block is, is said by its first line, as the reader sees it:

    ```python                     runs; the Python blocks of a page, one after the other, are the program example.py
    ```python title="train.py"    is written as that file; so in any language
    ```text title="Output"        is what the Python block above prints
    ```console                    `$ command`, and what it prints, on stdout and stderr
    ```… title="Not run: why"     is left alone
    ```text                       is a picture

Printed text is compared loosely: `…` stands for anything in a line, and on a line of its own for any lines; times,
addresses, versions and the folder are not compared.

    python tests/support/documented.py docs/page.md …      writes what was printed into the page where it does not match
"""

from __future__ import annotations

import contextlib
import io
import itertools
import os
import re
import subprocess
import sys
import tempfile
import types
import warnings
from pathlib import Path

from sybil import Document
from sybil.parsers.markdown.lexers import RawFencedCodeBlockLexer

TITLE = re.compile(r'title="([^"]*)"')
BLOCKS = RawFencedCodeBlockLexer(re.compile(r"(?P<language>\w*)[ ]*(?P<options>[^\n]*)\n"))
OF_PAGES = ("example", "depyf")  # modules that a page puts among those of the process
VARIES = (
    (re.compile(r"\b\d+(\.\d+)?(e-?\d+)?( ?)(ns|µs|us|ms|s|%)(?!\w)"), r"#\3\4"),
    (re.compile(r"\b0x[0-9a-f]{6,}"), "0x…"),
    (re.compile(r"\btorch \d[\w.+]*"), "torch #"),
    (re.compile(r"\bPython 3\.\d+[\w.+]*"), "Python #"),
    # What float32 rounds away differs between processors.
    (re.compile(r"\b\d\.\d+e-0[5-9]\b"), "#e-#"),
    (re.compile(r"\b\d+\.\d{5,}\b"), lambda number: f"{float(number[0]):.4g}"),
    (re.compile(r"[ \t]+$", re.MULTILINE), ""),
)


class Page:
    """A page and what running it needs: a folder, a module for its names, the commands of this Python."""

    def __init__(self, path):
        self.path = Path(path)
        self.document = Document.parse(str(path), self._regions)
        self.folder = Path.cwd()
        self.module = types.ModuleType("example")
        self.module.__file__ = str(self.folder / "example.py")
        self.document.namespace = self.module.__dict__
        self.program = ""
        self.printed = None
        self.replaced = []  # (start, end, text), where the page is to be changed
        self.updates = False

    def run(self):
        """Run every block; AssertionError, with the line of the page, where one does not do what the page says."""
        before = set(sys.modules)
        sys.modules["example"] = self.module
        try:
            for example in self.document.examples():
                example.evaluate()
        finally:
            for name in set(sys.modules) - before:
                if name.split(".")[0] in OF_PAGES or self._wrote(sys.modules[name]):
                    del sys.modules[name]

    def updated(self):
        """The text of the page with what was printed."""
        text = self.document.text
        for start, end, new in reversed(self.replaced):
            text = text[:start] + new + text[end:]
        return text

    def _wrote(self, module):
        return str(getattr(module, "__file__", None)).startswith(str(self.folder))

    def _regions(self, document):
        for region in BLOCKS(document):
            region.evaluator = self._evaluator(region.lexemes)
            yield region

    def _evaluator(self, lexemes):
        title = TITLE.search(lexemes["options"])
        title = title[1] if title else None
        if title is not None and title.startswith("Not run: "):
            return None
        if title == "Output":
            return self._compare
        if title is not None:
            return lambda example: self._write(title, example)
        by_language = {"python": self._execute, "console": self._command, "text": None, "": None}
        assert lexemes["language"] in by_language, f"{self.path}: no rule for a block of {lexemes['language']!r}"
        return by_language[lexemes["language"]]

    def _write(self, title, example):
        file = self.folder / title
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(source_of(example), encoding="utf-8")

    def _execute(self, example):
        self.program += ("\n" if self.program else "") + source_of(example)
        before = self.program.count("\n") - source_of(example).count("\n")
        (self.folder / "example.py").write_text(self.program, encoding="utf-8")
        code = compile("\n" * before + source_of(example), self.module.__file__, "exec", dont_inherit=True)
        printed = io.StringIO()
        try:
            with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed), warnings_of_the_page():
                exec(code, self.module.__dict__)
        except Exception as error:
            raise AssertionError(f"{self.path}:{example.line}: {error!r}\n{printed.getvalue()}") from error
        self.printed = printed.getvalue()

    def _compare(self, example):
        start, end = body_of(example)
        self._check(example, source_of(example), self.printed, start, end)

    def _command(self, example):
        start, _ = body_of(example)
        for command in re.finditer(r"^\$ (.*\n)((?:(?!\$ ).*\n)*)", source_of(example), re.MULTILINE):
            done = subprocess.run(
                ["bash", "-c", command[1].strip()],
                env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "COLUMNS": "100"},
                cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300, check=False,
            )  # fmt: skip
            assert done.returncode == 0, f"{self.path}:{example.line}: $ {command[1]}{done.stdout}"
            self._check(example, command[2], done.stdout, start + command.start(2), start + command.end(2))

    def _check(self, example, expected, printed, start, end):
        printed = printed.replace(f"{self.folder}/", "").replace(str(self.folder), ".")
        printed = re.sub(r"[ \t]+$", "", printed.strip("\n"), flags=re.MULTILINE) + "\n"
        if matches(expected, printed):
            return
        if self.updates:
            self.replaced.append((start, end, printed if printed.strip() else ""))
            return
        raise AssertionError(f"{self.path}:{example.line} shows\n{expected}\nand what is printed is\n{printed}")


def source_of(example):
    """The text of a block, which ends with a newline."""
    return example.region.lexemes["source"].rstrip("\n") + "\n"


def body_of(example):
    """Where the text of a block stands in its page; blocks that are indented cannot be rewritten, only compared."""
    text = example.document.text
    start = text.index("\n", example.region.start) + 1
    return start, text.rindex("\n", start - 1, example.region.end) + 1


def matches(expected, printed):
    """Whether what is shown stands for what was printed, times and addresses apart."""
    for pattern, instead in VARIES:
        expected, printed = pattern.sub(instead, expected), pattern.sub(instead, printed)
    lines = [
        r"(?:.*\n)*?" if line.strip() == "…" else re.escape(line).replace("…", ".*") + r"\n"
        for line in expected.strip("\n").split("\n")
    ]
    return re.fullmatch("".join(lines), printed.strip("\n") + "\n") is not None


@contextlib.contextmanager
def warnings_of_the_page():
    """Print warnings about the page's own lines, as outside of pytest; no others, which vary by machine."""

    def show(message, category, filename, lineno, *_):
        print(f"{Path(filename).name}:{lineno}: {category.__name__}: {message}")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.filterwarnings("always", module="example$")
        warnings.showwarning = show
        yield


@contextlib.contextmanager
def in_folder(folder):
    """The working directory, and the first place where modules are looked for, as when a program is run there."""
    before = Path.cwd()
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        os.chdir(before)


@contextlib.contextmanager
def numbered_from_one():
    """Dynamo's own numbering, as in a new process.

    Then its old one goes on: what other tests compiled keeps its names in the globals of its modules, and Dynamo
    refuses a name that is there.
    """
    import torch
    from torch._dynamo import bytecode_transformation

    torch._dynamo.reset()
    before = bytecode_transformation._unique_id_counter
    bytecode_transformation._unique_id_counter = itertools.count()
    try:
        yield
    finally:
        torch._dynamo.reset()
        bytecode_transformation._unique_id_counter = before


def main(paths):
    for path in [Path(path).resolve() for path in paths]:
        with tempfile.TemporaryDirectory() as folder, in_folder(Path(folder).resolve()), numbered_from_one():
            page = Page(path)
            page.updates = True
            try:
                page.run()
            finally:
                path.write_text(page.updated(), encoding="utf-8")
                print(f"{path}: {len(page.replaced)} outputs replaced")


if __name__ == "__main__":
    main(sys.argv[1:])
