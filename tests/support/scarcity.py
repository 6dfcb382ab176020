"""Moments in which the system has no more file descriptors, or threads."""

from __future__ import annotations

import logging
import os
import resource
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def no_descriptors() -> Iterator[None]:
    """Let nobody in this process open a file or socket."""
    with _descriptors_below(3):
        yield


@contextmanager
def few_descriptors(count: int) -> Iterator[None]:
    """Let this process open hardly more than so many files and sockets."""
    free = os.open(os.devnull, os.O_RDONLY)
    os.close(free)
    with _descriptors_below(free + count):
        yield


@contextmanager
def _descriptors_below(number: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (number, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@contextmanager
def no_threads(monkeypatch: pytest.MonkeyPatch, name: str) -> Iterator[None]:
    """Let nobody start a thread of a name."""
    start = threading.Thread.start

    def refuse(thread: threading.Thread) -> None:
        if thread.name.startswith(name):
            raise RuntimeError("can't start new thread")
        start(thread)

    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refuse)
        yield


class Told(logging.Handler):
    """Counts the warnings of a logger; `first` waits for one."""

    def __init__(self, logger: str) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []
        self._came = threading.Event()
        self._logger = logging.getLogger(logger)

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())
        self._came.set()

    def first(self) -> str:
        assert self._came.wait(60)
        return self.messages[0]

    @contextmanager
    def listening(self) -> Iterator[Callable[[], str]]:
        self._logger.addHandler(self)
        try:
            yield self.first
        finally:
            self._logger.removeHandler(self)
