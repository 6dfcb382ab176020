"""Names and namespaces as segments of URL paths, by the rules of the API server.

k8s.io/apimachinery: pkg/api/validation/path. Whatever is not a name is refused here, since a path
without a name is that of a whole collection.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeGuard, cast

from .._models.model import Model

__all__ = ["called", "check_segment", "is_name", "name_in", "segment", "uid_in"]

# The characters of ordinary names; other names take the slow way.
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9.:_-]*").fullmatch


def segment(what: str, value: str) -> str:
    """Spell a name for a URL path.

    Args:
        what: what it names, for the error: `name`, `namespace`.
        value: the name.

    Raises:
        ValueError: it is not a non-empty string; or it is one that would change the path: `.`,
            `..`, or one with `/` or `%`; or it is a namespace in capitals, which no server has.
    """
    try:
        plain = _PLAIN(value)
    except TypeError:
        plain = None
    # The match is of the exact type str, whatever a subclass would say of itself.
    spelled = plain[0] if plain else _quoted(what, value)
    if what == "namespace" and spelled != spelled.lower() and plain:
        raise _in_capitals(spelled)
    return spelled


def check_segment(what: str, value: str) -> str:
    """Give a name back that `segment` accepts.

    Raises:
        ValueError: as `segment`.
    """
    segment(what, value)
    return str.__str__(value)


def name_in(body: object) -> Any:
    """Give what stands as the name in an object's metadata, whatever it is; None without one.

    Raises:
        TypeError: it is no object.
    """
    return _metadata_of(body, "name")


def uid_in(body: object) -> str:
    """Give the uid in an object's metadata; empty without one.

    Raises:
        TypeError: it is no object.
    """
    uid = _metadata_of(body, "uid")
    return uid if isinstance(uid, str) else ""


def _metadata_of(body: object, name: str) -> object:
    if isinstance(body, Model):
        return getattr(getattr(body, "metadata", None), name, None)
    if not isinstance(body, Mapping):
        raise TypeError(f"an object must be a model or a mapping, not {_shown(body)}")
    metadata = cast("Mapping[str, object]", body).get("metadata")
    return (
        cast("Mapping[str, object]", metadata).get(name) if isinstance(metadata, Mapping) else None
    )


def called(client: object) -> str:
    """Spell the public method of a client that is being called, as in `.delete()`; empty for none.

    Generated methods are one call each, and only an error wants to know which one it was.
    """
    from inspect import currentframe  # start-up does not need it

    frame = currentframe()
    while frame is not None:
        name = frame.f_code.co_name
        if not name.startswith("_") and frame.f_locals.get("self") is client:
            return f".{name}()"
        frame = frame.f_back
    return ""


def is_name(value: object) -> TypeGuard[str]:
    """Tell whether it is a non-empty string, if not yet a name that a server accepts."""
    return isinstance(value, str) and str.__len__(value) > 0


def _quoted(what: str, value: object) -> str:
    if not is_name(value):
        raise ValueError(f"{what} must be a non-empty string, not {_shown(value)}")
    value = str.__str__(value)
    if value in {".", ".."} or "/" in value or "%" in value:
        raise ValueError(
            f"{what} cannot be {value!r}: it must not be '.' or '..' or contain '/' or '%'"
        )
    from urllib.parse import quote  # hardly ever needed

    try:
        return quote(value, safe="")
    except UnicodeEncodeError:
        raise ValueError(
            f"{what} cannot be {value!r}: it contains half of a surrogate pair"
        ) from None


def _in_capitals(namespace: str) -> ValueError:
    """Return the error for `Shop`: servers answer its lists as if it were an empty namespace."""
    return ValueError(f"namespace cannot be {namespace!r}: names of namespaces are lower case")


def _shown(value: object) -> str:
    """Show a plain value; of others the type, since an object may hold secrets."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return repr(value)
    return f"a {type(value).__name__}"
