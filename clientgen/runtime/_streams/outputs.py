"""The output of commands in containers, and how they end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from .._models.arguments import named
from ..errors import ConnectionLost, ExecFailed, ResponseBroken
from .channels import ERROR, STDERR, STDOUT, exit_code_in, split

if TYPE_CHECKING:
    from .._models.exec_result import ExecResult
    from ..errors import RequestInfo

__all__ = ["Output", "OutputReader", "check_command", "check_result"]

_MOST_STATUS = 1 << 16
_TOLD = 2000


class Output(NamedTuple):
    """Some bytes that a process has written. With a terminal, all of them are `stdout`."""

    stream: Literal["stdout", "stderr"]
    data: bytes


def check_result(result: ExecResult, info: RequestInfo) -> None:
    """Make sure that a command succeeded.

    Raises:
        ExecFailed: Its exit code is not 0.
    """
    if result.exit_code:
        text = result.stderr[-_TOLD:].decode("utf-8", "replace").strip()
        message = f"{info}: the command ended with exit code {result.exit_code}"
        raise ExecFailed(f"{message}: {text}" if text else message, result)


class OutputReader:
    """Reads the messages of a process, and remembers how it ended."""

    def __init__(self, info: RequestInfo) -> None:
        self._info = info
        self._status = bytearray()
        self.exit_code: int | None = None

    def feed(self, received: bytes) -> Output | None:
        """Take a message; gives what the process wrote, if that is what it carries.

        Raises:
            ResponseBroken: The server's account of the end is too long.
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
            if len(self._status) > _MOST_STATUS:
                raise ResponseBroken(f"{self._info}: the status of the process is too long")
        return None

    def finish(self) -> int:
        """Return the exit code, after the last message.

        Raises:
            ApiError: The process could not be run.
            ConnectionLost: The server did not tell how the process ended.
        """
        if not self._status:
            raise ConnectionLost(
                f"{self._info}: the connection ended, and nothing tells how the process ended"
            )
        self.exit_code = exit_code_in(bytes(self._status), self._info)
        return self.exit_code


def check_command(command: object) -> list[str]:
    """Return a command as a list of words.

    Raises:
        TypeError: It is not a list of texts.
        ValueError: It is empty.
    """
    if isinstance(command, (str, bytes)) or not isinstance(command, (list, tuple)):
        raise TypeError(
            f'command must be a list of words, such as ["ls", "-l"], not {named(command)};'
            ' a shell takes a line: ["sh", "-c", line]'
        )
    words: list[str] = []
    for word in command:  # pyright: ignore[reportUnknownVariableType] - checked here
        if not isinstance(word, str):
            raise TypeError(f"command must be a list of texts, and has {named(word)}")  # pyright: ignore[reportUnknownArgumentType]
        if "\0" in word:
            raise ValueError("command: a word has a null character, which no process can be given")
        words.append(word)
    if not words or not words[0]:
        raise ValueError("command is empty: name the program to run")
    return words
