"""The line of a terminal that shows the progress of a call; the terminal is a real one."""

from __future__ import annotations

import fcntl
import os
import struct
import sys
import termios
from collections.abc import Iterator
from typing import TextIO

import pytest
from kubeapi import Clientset

from clientgen.runtime import ProgressLine
from clientgen.testing import FakeCluster

CLEAR = "\r\x1b[2K"
WEB = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: a, image: a}]}}
"""


class Terminal:
    """A terminal of 30 columns."""

    def __init__(self) -> None:
        self._screen, self._program = os.openpty()
        size = struct.pack("HHHH", 10, 30, 0, 0)
        fcntl.ioctl(self._program, termios.TIOCSWINSZ, size)
        self.file: TextIO = os.fdopen(self._program, "w")

    def written(self) -> str:
        """Return what was written since the last call."""
        os.write(self._program, b"\0")  # what is written takes a while to arrive
        received = b""
        while not received.endswith(b"\0"):
            received += os.read(self._screen, 1 << 16)
        return received[:-1].decode()

    def close(self) -> None:
        self.file.close()
        os.close(self._screen)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    monkeypatch.setenv("TERM", "xterm")
    made = Terminal()
    yield made
    made.close()


def test_the_line_shows_the_state_of_a_wait_and_is_removed(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", terminal.file)
    cluster = FakeCluster()
    cluster.play()
    with cluster.clientset(Clientset) as k, ProgressLine() as show:
        k.manifests(WEB).apply(wait=60, on_progress=show)
    first, *states, last = terminal.written().split(CLEAR)
    assert (first, last) == ("", "")
    assert states[0].startswith("Deployment default/web: ")
    assert all(0 < len(each) < 30 for each in states)


@pytest.mark.parametrize(
    ("state", "shown"),
    [
        ("a" * 29, "a" * 29),
        ("a" * 30, "a" * 27 + "…"),
        ("\N{CJK UNIFIED IDEOGRAPH-6F22}" * 20, "\N{CJK UNIFIED IDEOGRAPH-6F22}" * 12 + "…"),
        ("e\u0301" * 29, "e\u0301" * 29),
        ("a\n\x1b[31m\tb", "a  [31m b"),
    ],
)
def test_a_state_takes_one_line(state: str, shown: str, terminal: Terminal) -> None:
    line = ProgressLine(terminal.file)
    line(state)
    assert terminal.written() == f"{CLEAR}{shown}"
    line.clear()
    line.clear()
    assert terminal.written() == CLEAR


def test_nothing_is_written_without_a_terminal(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TERM", "dumb")
    with ProgressLine(terminal.file) as show:
        show("a")
    monkeypatch.undo()
    with ProgressLine() as show:
        show("a")
    monkeypatch.setattr(sys, "stderr", None)
    with ProgressLine() as show:
        show("a")
    assert capsys.readouterr().err == terminal.written() == ""


def test_a_terminal_that_is_gone_ends_no_call(terminal: Terminal) -> None:
    with ProgressLine(terminal.file) as show:
        show("a")
        terminal.file.close()
        show("b")
    ProgressLine(terminal.file)("c")
