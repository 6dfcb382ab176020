"""Commands in fake containers. Functions of a test run the commands."""

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
    read_size,
)

from .sessions import MAX_BUFFERED_BYTES, Input, Session

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from .._apiserver.verbs.connect import ProcessRequest

    Handler: TypeAlias = "Callable[[Process], int | None]"

_log = logging.getLogger("clientgen.testing")

_MAX_EXIT_CODE: Final = 255
_CHUNK_BYTES: Final = 1 << 15


class Process(Session):
    """A command in a container. A function of the test runs it.

    Attributes:
        command: the command and its arguments; empty for an attached client.
        namespace: the namespace of the pod.
        pod: the name of the pod.
        container: the name of the container.
        tty: whether the command has a terminal. Its stderr then goes to stdout.
        stdin: the input from the client: `read`, `read1`, `readline`.
        stdout: the output to the client: `write`.
        stderr: the error output to the client: `write`.
        sizes: the terminal sizes that the client has sent, oldest first: columns and rows.
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
        stderr_channel = STDERR if request.stderr else None
        self.stderr = self.stdout if request.tty else Output(self, stderr_channel)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.command} in {self.namespace}/{self.pod}>"

    # ---- for the server -----------------------------------------------------------------------

    def begin(self) -> None:
        """Start the function."""
        threading.Thread(target=self._run, name=f"clientgen {self!r}", daemon=True).start()

    def feed(self, message: bytes) -> None:
        """Receive a message from the client. Unknown messages are ignored, as kubelets do."""
        if not message:
            return
        channel, data = message[0], message[1:]
        if channel == STDIN:
            self.stdin.feed(data)
        elif channel == CLOSE and data == bytes((STDIN,)):
            self.stdin.end()
        elif channel == RESIZE:
            try:
                size = read_size(data)
            except ValueError:
                return
            with self.changed:
                self.sizes.append(size)
                del self.sizes[:-1000]
                self.changed.notify_all()

    @property
    def is_full(self) -> bool:
        """Whether the client must wait until the command has read more."""
        return self.stdin.buffered_bytes > MAX_BUFFERED_BYTES

    def close(self) -> None:
        """Note that the client has disconnected."""
        super().close()
        self.stdin.end()

    # ---- for the function ---------------------------------------------------------------------

    def wait_for_size(self, count: int = 1, timeout: float = 30.0) -> bool:
        """Wait until the client has sent `count` sizes, for `timeout` real seconds at most.

        Returns False at the timeout, and True if the client disconnects earlier.
        """
        with self.changed:
            return self.changed.wait_for(
                lambda: len(self.sizes) >= count or self.is_closed, timeout
            )

    def _run(self) -> None:
        try:
            code = _checked_code(self._handler(self))
            # Kubelets report only the end of the streams to attached clients, never the exit code.
            status = exit_status(0 if self._is_attached else code)
        except Exception as error:  # noqa: BLE001 - the test's function may raise anything
            if not self.is_closed:
                _log.exception("%r failed", self)
            verb = "attaching to" if self._is_attached else "executing command in"
            why = f"error {verb} container: {type(error).__name__}: {error}"
            status = failure_status(internal_error(why).status())
        self.finish(*self._final_messages(status))

    def _final_messages(self, status: bytes) -> list[bytes]:
        """Return the last messages: a Status; for clients without a subprotocol, its error text."""
        if self.subprotocol:
            return [message(ERROR, status)]
        text: str = json.decode(status).get("message", "")
        return [message(ERROR, text.encode())] if text else []


def _checked_code(code: int | None) -> int:
    if code is None:
        return 0
    if isinstance(code, bool) or not 0 <= code <= _MAX_EXIT_CODE:
        raise ValueError(f"the exit code must be a number from 0 to {_MAX_EXIT_CODE}, not {code!r}")
    return code


class Output:
    """The stdout or stderr of a process."""

    def __init__(self, process: Process, channel: int | None) -> None:
        self._process = process
        self._channel = channel

    def write(self, data: bytes | str) -> None:
        """Write bytes or text. Waits while the client does not read.

        Raises:
            BrokenPipeError: the client has disconnected.
        """
        encoded = data.encode() if isinstance(data, str) else data
        if self._channel is None:  # the client did not request this output
            return
        for start in range(0, len(encoded), _CHUNK_BYTES):
            self._process.send(message(self._channel, encoded[start : start + _CHUNK_BYTES]))
