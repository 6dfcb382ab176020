"""Processes in containers, played by functions of a test."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Final

from msgspec import json

from clientgen._apimachinery.failures import internal_error
from clientgen.runtime._streams.channels import (
    CLOSE,
    ERROR,
    RESIZE,
    STDERR,
    STDIN,
    STDOUT,
    exit_status,
    failure_status,
    message,
    size_in,
)

from .sessions import MOST_WAITING, Input, Session

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from .._apiserver.verbs.connect import ProcessRequest

    Handler: TypeAlias = "Callable[[Process], int | None]"

__all__ = ["Process"]

_log = logging.getLogger("clientgen.testing")

_MOST_CODE: Final = 255
_PIECE: Final = 1 << 15


class Process(Session):
    """A command in a container that a function of the test plays.

    Attributes:
        command: The command and its arguments; empty for an attached client.
        namespace: The namespace of the pod.
        pod: The name of the pod.
        container: The name of the container.
        tty: Whether it has a terminal. What it writes to stderr then goes to stdout.
        stdin: What the client sends: `read`, `readline`.
        stdout: What the client gets: `write`.
        stderr: The same.
        sizes: The sizes of the terminal that the client told: columns and rows.
    """

    def __init__(self, request: ProcessRequest, subprotocol: str, handler: Handler) -> None:
        super().__init__(subprotocol)
        self.command = list(request.command)
        self.namespace, self.pod, self.container = request.namespace, request.pod, request.container
        self.tty = request.tty
        self.sizes: list[tuple[int, int]] = []
        self._handler = handler
        self._is_attached = request.action == "attach"
        self.stdin = Input(self, is_open=request.stdin)
        self.stdout = Output(self, STDOUT if request.stdout else None)
        second = STDERR if request.stderr else None
        self.stderr = self.stdout if request.tty else Output(self, second)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.command} in {self.namespace}/{self.pod}>"

    # ---- for the server -----------------------------------------------------------------------

    def begin(self) -> None:
        """Start the function."""
        threading.Thread(target=self._run, name=f"clientgen {self!r}", daemon=True).start()

    def feed(self, message: bytes) -> None:
        """Take a message from the client. What cannot be understood is ignored, as kubelets do."""
        if not message:
            return
        channel, data = message[0], message[1:]
        if channel == STDIN:
            self.stdin.feed(data)
        elif channel == CLOSE and data == bytes((STDIN,)):
            self.stdin.end()
        elif channel == RESIZE:
            try:
                size = size_in(data)
            except ValueError:
                return
            with self.changed:
                self.sizes.append(size)
                del self.sizes[:-1000]
                self.changed.notify_all()

    @property
    def is_full(self) -> bool:
        """Whether the process has much to read."""
        return self.stdin.waiting > MOST_WAITING

    def close(self) -> None:
        """Note that the client is gone."""
        super().close()
        self.stdin.end()

    # ---- for the function ---------------------------------------------------------------------

    def wait_for_size(self, count: int = 1, timeout: float = 30.0) -> bool:
        """Wait until the client has told so many sizes, at most `timeout` seconds."""
        with self.changed:
            return self.changed.wait_for(
                lambda: len(self.sizes) >= count or self.is_closed, timeout
            )

    def _run(self) -> None:
        try:
            code = _checked_code(self._handler(self))
            # Nodes tell attached clients that the streams ended, and never how the process did.
            status = exit_status(0 if self._is_attached else code)
        except Exception as error:  # noqa: BLE001 - whatever the function of the test raises
            if not self.is_closed:
                _log.exception("%r failed", self)
            what = "attaching to" if self._is_attached else "executing command in"
            why = f"error {what} container: {type(error).__name__}: {error}"
            status = failure_status(internal_error(why).status())
        self.finish(*self._last(status))

    def _last(self, status: bytes) -> list[bytes]:
        """Return the last messages: the Status; without a subprotocol, its text if it failed."""
        if self.subprotocol:
            return [message(ERROR, status)]
        text: str = json.decode(status).get("message", "")
        return [message(ERROR, text.encode())] if text else []


def _checked_code(code: int | None) -> int:
    if code is None:
        return 0
    if isinstance(code, bool) or not 0 <= code <= _MOST_CODE:
        raise ValueError(f"an exit code is a number from 0 to {_MOST_CODE}, not {code!r}")
    return code


class Output:
    """An output of a process."""

    def __init__(self, process: Process, channel: int | None) -> None:
        self._process = process
        self._channel = channel

    def write(self, data: bytes | str) -> None:
        """Write, and wait while the client does not read.

        Raises:
            BrokenPipeError: The client is gone.
        """
        encoded = data.encode() if isinstance(data, str) else data
        if self._channel is None:  # the client wants to hear nothing of it
            return
        for start in range(0, len(encoded), _PIECE):
            self._process.send(message(self._channel, encoded[start : start + _PIECE]))
