"""Names and namespaces as segments of URL paths, by the rules of the API server.

k8s.io/apimachinery: pkg/api/validation/path. Invalid names are refused, because a path without a
name is the path of a whole collection.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeGuard, cast

from .._models.model import Model

# Ordinary names need no quoting.
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9.:_-]*").fullmatch


def segment(what: str, value: str) -> str:
    """Return a name as a segment of a URL path, quoted if necessary.

    Args:
        what: the argument's name in the error: `name`, `namespace`.
        value: the name.

    Raises:
        ValueError: the value is not a string, is empty, would change the path (`.`, `..`, `/` or
            `%`), or is a namespace with capital letters (namespaces are lower case).
    """
    try:
        plain = _PLAIN(value)
    except TypeError:
        plain = None
    # `plain[0]` is a plain str; `str()` of a subclass could return another text later.
    text = plain[0] if plain else _quote_segment(what, value)
    if what == "namespace" and text != text.lower() and plain:
        raise _capitals_error(text)
    return text


def check_segment(what: str, value: str) -> str:
    """Check a name as `segment` does, and return the name as a plain str.

    Raises:
        ValueError: as `segment`.
    """
    segment(what, value)
    return str.__str__(value)


def name_in(body: object) -> Any:
    """Return `metadata.name` of an object: a value of any type; None if the name is missing.

    Raises:
        TypeError: `body` is neither a model nor a mapping.
    """
    return _metadata_of(body, "name")


def uid_in(body: object) -> str:
    """Return `metadata.uid` of an object; empty if it is missing or not a string.

    Raises:
        TypeError: `body` is neither a model nor a mapping.
    """
    uid = _metadata_of(body, "uid")
    return uid if isinstance(uid, str) else ""


def _metadata_of(body: object, name: str) -> object:
    if isinstance(body, Model):
        return getattr(getattr(body, "metadata", None), name, None)
    if not isinstance(body, Mapping):
        raise TypeError(f"an object must be a model or a mapping, not {_safe_repr(body)}")
    metadata = cast("Mapping[str, object]", body).get("metadata")
    return (
        cast("Mapping[str, object]", metadata).get(name) if isinstance(metadata, Mapping) else None
    )


def called(client: object) -> str:
    """Return the running public method of a client, such as `.delete()`; empty if there is none.

    The name is read from the call stack, because only error messages need it. So generated methods,
    which are one statement each, need not pass their names.
    """
    from inspect import currentframe  # imported late: only messages need it

    frame = currentframe()
    while frame is not None:
        name = frame.f_code.co_name
        if not name.startswith("_") and frame.f_locals.get("self") is client:
            return f".{name}()"
        frame = frame.f_back
    return ""


def is_name(value: object) -> TypeGuard[str]:
    """Return whether `value` is a non-empty string. A server may still refuse it."""
    return isinstance(value, str) and str.__len__(value) > 0


def _quote_segment(what: str, value: object) -> str:
    if not is_name(value):
        raise ValueError(f"{what} must be a non-empty string, not {_safe_repr(value)}")
    value = str.__str__(value)
    if value in {".", ".."} or "/" in value or "%" in value:
        raise ValueError(
            f"{what} cannot be {value!r}: it must not be '.' or '..' or contain '/' or '%'"
        )
    from urllib.parse import quote  # imported late: few names are quoted

    try:
        return quote(value, safe="")
    except UnicodeEncodeError:
        raise ValueError(
            f"{what} cannot be {value!r}: it contains half of a surrogate pair"
        ) from None


def _capitals_error(namespace: str) -> ValueError:
    """Return the error for a namespace such as `Shop`, in which servers list no objects."""
    return ValueError(f"namespace cannot be {namespace!r}: names of namespaces are lower case")


def _safe_repr(value: object) -> str:
    """Return the repr of a plain value, or the type of another value, which may hold secrets."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return repr(value)
    return f"a {type(value).__name__}"
