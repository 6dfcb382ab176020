"""The output and the exit codes of commands in containers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from .._models.arguments import type_of
from ..errors import ConnectionLost, ExecFailed, ResponseBroken
from .channels import ERROR, STDERR, STDOUT, read_exit_code, split

if TYPE_CHECKING:
    from .._models.exec_result import ExecResult
    from ..errors import RequestInfo

_MAX_STATUS_BYTES = 1 << 16
_MAX_SHOWN_STDERR_BYTES = 2000


class Output(NamedTuple):
    """Bytes that a process has written. With a terminal, `stream` is always `stdout`."""

    stream: Literal["stdout", "stderr"]
    data: bytes


def check_result(result: ExecResult, info: RequestInfo) -> None:
    """Check that a command has succeeded.

    Raises:
        ExecFailed: The exit code is not 0.
    """
    if result.exit_code:
        text = result.stderr[-_MAX_SHOWN_STDERR_BYTES:].decode("utf-8", "replace").strip()
        message = f"{info}: the command ended with exit code {result.exit_code}"
        raise ExecFailed(f"{message}: {text}" if text else message, result)


class OutputReader:
    """Reads the messages of a process: its output and its exit code."""

    def __init__(self, info: RequestInfo) -> None:
        self._info = info
        self._status = bytearray()
        self.exit_code: int | None = None

    def feed(self, received: bytes) -> Output | None:
        """Read a message. Returns the output in the message; None for other messages.

        Raises:
            ResponseBroken: The status of the process is too long.
        """
        if not received:
            return None
        channel, data = split(received)
        if channel == STDOUT and data:
            return Output("stdout", data)
        if channel == STDERR and data:
            return Output("stderr", data)
        if channel == ERROR:
            self._status += data
            if len(self._status) > _MAX_STATUS_BYTES:
                raise ResponseBroken(f"{self._info}: the status of the process is too long")
        return None

    def finish(self) -> int:
        """Return the exit code, after the last message.

        Raises:
            ApiError: The process could not be run.
            ConnectionLost: The connection ended without a status of the process.
        """
        if not self._status:
            raise ConnectionLost(
                f"{self._info}: the connection ended before the server sent the exit code"
            )
        self.exit_code = read_exit_code(bytes(self._status), self._info)
        return self.exit_code


def check_command(command: object) -> list[str]:
    """Check a command, and return it as a list of words.

    Raises:
        TypeError: The command is not a list of texts.
        ValueError: The command is empty.
    """
    if isinstance(command, (str, bytes)) or not isinstance(command, (list, tuple)):
        raise TypeError(
            f'command must be a list of words, such as ["ls", "-l"], not {type_of(command)};'
            ' to run a shell line, pass ["sh", "-c", line]'
        )
    words: list[str] = []
    for word in command:  # pyright: ignore[reportUnknownVariableType] - checked here
        if not isinstance(word, str):
            raise TypeError(f"command must contain texts only, not {type_of(word)}")  # pyright: ignore[reportUnknownArgumentType]
        if "\0" in word:
            raise ValueError("command: a word contains a null character")
        words.append(word)
    if not words or not words[0]:
        raise ValueError("command is empty: its first word must be the program to run")
    return words
