"""The channels of exec and attach over a WebSocket, without I/O.

The first byte of a message is the channel number. With `v5.channel.k8s.io`, a client can close a
channel, so that the process sees the end of its input; with `v4.channel.k8s.io`, a client cannot
close a channel. See k8s.io/client-go/tools/remotecommand and
k8s.io/apimachinery/pkg/util/remotecommand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import DecodeError, json

from .._models.meta_v1 import Status, StatusCause, StatusDetails
from .._models.statuses import make_sound
from ..errors import ResponseBroken, api_error

if TYPE_CHECKING:
    from ..errors import RequestInfo

V5: Final = "v5.channel.k8s.io"
V4: Final = "v4.channel.k8s.io"
SUBPROTOCOLS: Final = (V5, V4)

STDIN: Final = 0
STDOUT: Final = 1
STDERR: Final = 2
ERROR: Final = 3
"""The channel of the Status that the server sends when the process has ended."""
RESIZE: Final = 4
CLOSE: Final = 255
"""Closes the channel whose number is the data of the message."""

_NON_ZERO = "NonZeroExitCode"
_EXIT_CODE = "ExitCode"
_MAX_DIGITS = 10
_MAX_TERMINAL_CELLS = 65535


def message(channel: int, data: bytes | memoryview) -> bytes:
    """Return the message that carries data on a channel."""
    return channel.to_bytes(1, "big") + data


def close_message(channel: int) -> bytes:
    """Return the message that closes a channel, for `v5.channel.k8s.io`."""
    return bytes((CLOSE, channel))


def resize_message(width: int, height: int) -> bytes:
    """Return the message that sets the size of the terminal, in characters.

    Raises:
        ValueError: The width or the height is out of range.
    """
    for name, cells in (("width", width), ("height", height)):
        if not 0 < cells <= _MAX_TERMINAL_CELLS:
            raise ValueError(
                f"{name}={cells!r}: a terminal has 1 to {_MAX_TERMINAL_CELLS} columns and rows"
            )
    return message(RESIZE, json.encode({"Width": width, "Height": height}))


def read_size(data: bytes) -> tuple[int, int]:
    """Read the width and height of a terminal.

    Raises:
        ValueError: The data is not a size.
    """
    try:
        size = json.decode(data, type=dict[str, int])
    except DecodeError as error:
        raise ValueError(f"the data is not a terminal size: {error}") from None
    return size.get("Width", 0), size.get("Height", 0)


def split(received: bytes) -> tuple[int, bytes]:
    """Split a message into its channel and its data.

    Raises:
        ValueError: The message is empty.
    """
    if not received:
        raise ValueError("the message has no channel")
    return received[0], received[1:]


def exit_status(code: int) -> bytes:
    """Return the Status of a process that has exited with a code."""
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
    """Encode the Status of a process that could not be run."""
    return json.encode(status)


def read_exit_code(data: bytes, info: RequestInfo) -> int:
    """Read the exit code of a Status.

    Raises:
        ApiError: The Status says that the process could not be run.
        ResponseBroken: The data is not a Status.
    """
    try:
        status = make_sound(json.decode(data, type=Status))
    except DecodeError as error:
        raise ResponseBroken(f"{info}: the status of the process is malformed: {error}") from None
    if status.status == "Success":
        return 0
    if status.reason != _NON_ZERO:
        raise api_error(status, info)
    details = status.details or StatusDetails()
    return _exit_code_of_causes(details.causes, info)


def _exit_code_of_causes(causes: list[StatusCause], info: RequestInfo) -> int:
    text = next((each.message or "" for each in causes if each.reason == _EXIT_CODE), "")
    digits = text.removeprefix("-")
    if digits.isascii() and digits.isdigit() and len(digits) <= _MAX_DIGITS:
        return int(text)
    raise ResponseBroken(f"{info}: the process failed, and the server sent no exit code")
