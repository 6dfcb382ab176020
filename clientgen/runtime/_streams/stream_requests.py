"""The requests that start exec and attach streams."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._http.request import HttpRequest, build
from .._models.arguments import type_of, unexpected_option
from .outputs import check_command

if TYPE_CHECKING:
    from collections.abc import Mapping

_PROCESS = {
    "container": "container",
    "stdin": "stdin",
    "stdout": "stdout",
    "stderr": "stderr",
    "tty": "tty",
    "timeout": "",
}
_OPTIONS = dict.fromkeys(("container", "stdin", "tty", "timeout"), "")


def exec_request(path: str, command: object, options: Mapping[str, Any]) -> HttpRequest:
    """Return the request that runs a command. It is a GET, because WebSockets need a GET.

    Raises:
        TypeError: The command is not a list of words, or an option does not exist.
        ValueError: The command is empty.
    """
    words = check_command(command)
    request = _process_request(path, options)
    # Imported here, because most programs run no commands.
    from urllib.parse import quote

    query = "".join(f"&command={quote(word, safe='')}" for word in words)
    return HttpRequest(request.method, request.target + query)


def attach_request(path: str, options: Mapping[str, Any]) -> HttpRequest:
    """Return the request that attaches to the main process of a container.

    Raises:
        TypeError: An option does not exist.
    """
    return _process_request(path, options)


def stdin_of(value: object) -> bytes | None:
    """Encode the input of a command; None stays None.

    Raises:
        TypeError: The value is neither text nor bytes.
    """
    if value is None or isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, bytearray):
        return bytes(value)
    raise TypeError(f"stdin must be bytes or text, not {type_of(value)}")


def _process_request(path: str, options: Mapping[str, Any]) -> HttpRequest:
    for name in options.keys() - _OPTIONS.keys():
        raise unexpected_option(name, _OPTIONS)
    for name in ("stdin", "tty"):
        if not isinstance(options.get(name, False), bool):
            raise TypeError(
                f"{name} must be True or False for a stream; write the input to the stream"
            )
    has_terminal = bool(options.get("tty"))
    # A terminal has only one output, so the API server refuses a request for stderr.
    streams = {"stdout": True, "stderr": None if has_terminal else True}
    return build("GET", path, {**options, **streams}, _PROCESS)
