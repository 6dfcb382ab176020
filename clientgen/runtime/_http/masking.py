"""Requests and bodies for logs, with `***` instead of secrets."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, cast

from msgspec import DecodeError, json

from .._redaction import Hidden

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from .request import HttpRequest

_MASK: Final = "***"
_MAX_SHOWN_CHARACTERS: Final = 10_240
_MAX_PARSED_BYTES: Final = 1 << 20

_SECRET_NAME: Final = re.compile(
    r"(?i)[_.-](?:key|pin)$|apikey|api[_-]key|auth(?:orization)?$|cookie|credential|passphrase"
    r"|passw|privatekey|private[_-]key|secret|token|key[_-]?data$"
).search
# The names of Secrets.
_NO_SECRETS: Final = frozenset({"secretname", "secretref", "secretkeyref"})
# A copy of the whole object, as text.
_COPIES: Final = frozenset({"kubectl.kubernetes.io/last-applied-configuration"})
# The paths of objects that consist of secrets.
_SECRET_PATH: Final = re.compile(
    r"/(?:secrets|serviceaccounts/[^/]+/token|tokenreviews|tokenrequests)(?:[/?]|$)"
).search
_SECRET_KINDS: Final = frozenset({"Secret", "SecretList", "TokenRequest", "TokenReview"})
# What is shown of such objects, on the top level and in these members. The rest is masked.
_SHOWN: Final = frozenset(
    (
        *("apiVersion", "kind", "name", "namespace", "uid", "resourceVersion", "generateName"),
        *("op", "path", "reason", "code", "type"),
    )
)
_PARTLY_SHOWN: Final = frozenset({"items", "metadata", "object"})


def masked_url(url: str) -> str:
    """Return a URL with the values of secret parameters masked."""
    base, mark, query = url.partition("?")
    if not mark:
        return url
    pairs = (pair.partition("=") for pair in query.split("&"))
    return (
        base
        + mark
        + "&".join(
            f"{name}={_MASK}" if value and _is_secret(name) else f"{name}{equals}{value}"
            for name, equals, value in pairs
        )
    )


def masked_headers(headers: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield headers with the values of secret headers, and of the option `headers`, masked."""
    for name, value in headers:
        scheme = value.partition(" ")[0] + " " if name.lower() == "authorization" else ""
        is_secret = isinstance(value, Hidden) or _is_secret(name)
        yield name, f"{scheme}{_MASK}" if is_secret else value


def masked_body(body: bytes, target: str, content_type: str) -> str:
    """Return a body as text, with secrets masked. A body that is not JSON is only described.

    Args:
        body: The body.
        target: The path and query of the request. It tells whether the body is a secret.
        content_type: The media type of the body.
    """
    if not body:
        return ""
    described = f"({len(body)} bytes of {content_type or 'unknown type'})"
    if len(body) > _MAX_PARSED_BYTES:
        return described
    try:
        value = json.decode(body)
    except (DecodeError, RecursionError, UnicodeDecodeError):
        return described
    masked = _masked(value, is_secret=bool(_SECRET_PATH(target)))
    text = json.encode(masked).decode()
    if len(text) <= _MAX_SHOWN_CHARACTERS:
        return text
    return f"{text[:_MAX_SHOWN_CHARACTERS]} (truncated)"


def as_curl(request: HttpRequest, server: str) -> str:
    """Return a request as a command for curl. Tokens, passwords and bodies of Secrets are masked.

    Args:
        request: The request.
        server: The URL of the server.
    """
    from shlex import quote  # few programs need it

    words = ["curl", "-X", request.method]
    for name, value in masked_headers(request.headers):
        words += ["-H", f"{name}: {value}"]
    if request.body is not None:
        content_type = dict(request.headers).get("Content-Type", "")
        words += ["--data-binary", masked_body(request.body, request.target, content_type)]
    return " ".join(map(quote, [*words, masked_url(server + request.target)]))


def _is_secret(name: str) -> bool:
    return name in _COPIES or (bool(_SECRET_NAME(name)) and name.lower() not in _NO_SECRETS)


def _masked(value: Any, *, is_secret: bool) -> Any:
    """Return a JSON value with its secrets masked."""
    if isinstance(value, list):
        return [_masked(each, is_secret=is_secret) for each in cast("Sequence[Any]", value)]
    if not isinstance(value, dict):
        return _MASK if is_secret and value is not None else value
    members = cast("dict[str, Any]", value)
    if is_secret or members.get("kind") in _SECRET_KINDS:
        return {name: _member_of_secret(name, each) for name, each in members.items()}
    # An environment variable, or a header: {"name": "PASSWORD", "value": "..."}
    own_name = members.get("name")
    hides_value = isinstance(own_name, str) and _is_secret(own_name)
    return {
        name: _MASK
        if isinstance(each, str) and (_is_secret(name) or (hides_value and name == "value"))
        else _masked(each, is_secret=False)
        for name, each in members.items()
    }


def _member_of_secret(name: str, value: Any) -> Any:
    if isinstance(value, (dict, list)):
        return _masked(value, is_secret=True) if name in _PARTLY_SHOWN else _all_masked(value)
    return value if name in _SHOWN else _MASK


def _all_masked(value: Any) -> Any:
    """Return a JSON value whose names are kept and whose values are masked."""
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        return {name: _all_masked(each) for name, each in members.items()}
    if isinstance(value, list):
        return [_all_masked(each) for each in cast("Sequence[Any]", value)]
    return _MASK
