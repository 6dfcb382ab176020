"""Values of the Authorization header."""

from __future__ import annotations

from ..errors import ConfigError


def bearer(token: str) -> str | None:
    """Return the header value for a token; None if the token is empty."""
    return f"Bearer {token}" if token else None


def basic(username: str, password: str) -> str | None:
    """Return the header value for a user name and password; None if both are empty."""
    if not username and not password:
        return None
    import base64  # imported late: passwords are rare

    return f"Basic {base64.b64encode(f'{username}:{password}'.encode()).decode()}"


def check_sendable(name: str, value: object, origin: str = "") -> None:
    """Check that a user name, password or token can be sent.

    Raises:
        ConfigError: the value is not a string, or cannot be encoded. The message does not show it.
    """
    where = f"{origin}: {name}" if origin else name
    if not isinstance(value, str):
        raise ConfigError(f"{where} must be a string, not a {type(value).__name__}")
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise ConfigError(f"{where} contains half of a surrogate pair, which cannot be sent")


def is_header_safe(token: str) -> bool:
    """Return whether a token consists of visible ASCII characters, so that a header can hold it."""
    return all("!" <= character <= "~" for character in token)
