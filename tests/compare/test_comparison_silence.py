"""What a comparison prints is left out, and what other threads of the program print is not."""
from __future__ import annotations

import subprocess
import sys
import textwrap
import threading

import pytest

from unjit.comparison.runs.silence import silent_here


def test_this_thread_is_silent_and_others_are_heard(capsys):
    with silent_here():
        print("ours")
        sys.stdout.writelines(["ours", "too"])
        other = threading.Thread(target=print, args=("theirs",))
        other.start()
        other.join()
        sys.stdout.flush()
    print("afterwards")
    assert capsys.readouterr().out == "theirs\nafterwards\n"


def test_what_goes_to_stderr_and_is_logged_is_left_out_but_for_warnings_and_torch():
    program = textwrap.dedent("""
        import logging, sys, warnings
        from unjit.comparison.runs.silence import silent_here
        logging.basicConfig(format="%(message)s")
        with silent_here():
            print("ours", file=sys.stderr)
            warnings.warn("once for good")
            logging.getLogger("theirs").warning("ours too")
            logging.getLogger("torch.theirs").warning("torch's")
        logging.getLogger("theirs").warning("afterwards")
    """)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr == "<string>:7: UserWarning: once for good\ntorch's\nafterwards\n"


def test_the_stream_is_put_back_when_the_block_raises():
    before = sys.stdout
    with pytest.raises(ZeroDivisionError), silent_here():
        1 / 0  # noqa: B018
    assert sys.stdout is before


def test_a_stream_that_somebody_else_put_in_place_stays(monkeypatch):
    theirs = sys.stderr
    monkeypatch.setattr(sys, "stdout", sys.stdout)
    with silent_here():
        sys.stdout = theirs
    assert sys.stdout is theirs


def test_nothing_is_dropped_afterwards_where_somebody_puts_the_stream_in_place_again(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdout", sys.stdout)
    with silent_here():
        noted = sys.stdout
    sys.stdout = noted
    print("ours")
    assert capsys.readouterr().out == "ours\n"


def test_without_a_stream_nothing_is_printed(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    with silent_here():
        print("to nobody")
    assert sys.stdout is None
