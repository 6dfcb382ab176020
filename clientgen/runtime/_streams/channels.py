"""The channels of exec and attach: messages of a WebSocket, without I/O.

The first byte of a message is the number of its channel. `v5.channel.k8s.io` can also close a
channel, so that a process sees the end of its input; `v4.channel.k8s.io` cannot.
See k8s.io/client-go/tools/remotecommand and k8s.io/apimachinery/pkg/util/remotecommand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import DecodeError, json

from .._models.meta_v1 import Status, StatusCause, StatusDetails
from .._models.statuses import make_sound
from ..errors import ResponseBroken, api_error

if TYPE_CHECKING:
    from ..errors import RequestInfo

__all__ = [
    "CLOSE",
    "ERROR",
    "RESIZE",
    "STDERR",
    "STDIN",
    "STDOUT",
    "SUBPROTOCOLS",
    "V4",
    "V5",
    "closing",
    "exit_code_in",
    "exit_status",
    "failure_status",
    "message",
    "resizing",
    "size_in",
    "split",
]

V5: Final = "v5.channel.k8s.io"
V4: Final = "v4.channel.k8s.io"
SUBPROTOCOLS: Final = (V5, V4)

STDIN: Final = 0
STDOUT: Final = 1
STDERR: Final = 2
ERROR: Final = 3
"""Carries a Status when the process has ended."""
RESIZE: Final = 4
CLOSE: Final = 255
"""Names a channel on which nothing more comes."""

_NON_ZERO = "NonZeroExitCode"
_EXIT_CODE = "ExitCode"
_MOST_CODE = 1 << 31
_MOST_DIGITS = 10
_MOST_CELLS = 65535


def message(channel: int, data: bytes | memoryview) -> bytes:
    """Return the message that carries data on a channel."""
    return channel.to_bytes(1, "big") + data


def closing(channel: int) -> bytes:
    """Return the message that says that nothing more comes on a channel; for v5."""
    return bytes((CLOSE, channel))


def resizing(width: int, height: int) -> bytes:
    """Return the message that tells the size of the terminal, in characters.

    Raises:
        ValueError: That is no size.
    """
    for name, cells in (("width", width), ("height", height)):
        if not 0 < cells <= _MOST_CELLS:
            raise ValueError(
                f"{name}={cells!r}: a terminal has 1 to {_MOST_CELLS} columns and rows"
            )
    return message(RESIZE, json.encode({"Width": width, "Height": height}))


def size_in(data: bytes) -> tuple[int, int]:
    """Read the size of a terminal: width and height.

    Raises:
        ValueError: It is no size.
    """
    try:
        size = json.decode(data, type=dict[str, int])
    except DecodeError as error:
        raise ValueError(f"not the size of a terminal: {error}") from None
    return size.get("Width", 0), size.get("Height", 0)


def split(received: bytes) -> tuple[int, bytes]:
    """Return the channel and the data of a message; an empty message has neither.

    Raises:
        ValueError: It is empty.
    """
    if not received:
        raise ValueError("a message without a channel")
    return received[0], received[1:]


def exit_status(code: int) -> bytes:
    """Return the Status of a process that has ended with a code."""
    if code == 0:
        return json.encode({"metadata": {}, "status": "Success"})
    return json.encode(
        {
            "metadata": {},
            "status": "Failure",
            "message": f"command terminated with non-zero exit code: exit status {code}",
            "reason": _NON_ZERO,
            "details": {"causes": [{"reason": _EXIT_CODE, "message": str(code)}]},
        }
    )


def failure_status(status: object) -> bytes:
    """Return the Status of a process that could not be run, as a message carries it."""
    return json.encode(status)


def exit_code_in(data: bytes, info: RequestInfo) -> int:
    """Read the exit code of a Status.

    Raises:
        ApiError: The Status says that the process could not be run.
        ResponseBroken: It is no Status.
    """
    try:
        status = make_sound(json.decode(data, type=Status))
    except DecodeError as error:
        raise ResponseBroken(f"{info}: the end of the process is not readable: {error}") from None
    if status.status == "Success":
        return 0
    if status.reason != _NON_ZERO:
        raise api_error(status, info)
    details = status.details or StatusDetails()
    return _code_in(details.causes, info)


def _code_in(causes: list[StatusCause], info: RequestInfo) -> int:
    text = next((each.message or "" for each in causes if each.reason == _EXIT_CODE), "")
    digits = text.removeprefix("-")
    if digits.isascii() and digits.isdigit() and len(digits) <= _MOST_DIGITS:
        return int(text)
    raise ResponseBroken(f"{info}: the process failed, and the server does not tell its exit code")
