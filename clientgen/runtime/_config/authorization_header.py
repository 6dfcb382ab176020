"""The values of the Authorization header."""

from __future__ import annotations

from ..errors import ConfigError

__all__ = ["basic", "bearer", "check_sendable", "is_header_safe"]


def bearer(token: str) -> str | None:
    """A token as the header says it; None without one."""
    return f"Bearer {token}" if token else None


def basic(username: str, password: str) -> str | None:
    """A name and password as the header says them; None without either."""
    if not username and not password:
        return None
    import base64  # late: passwords are rare

    return f"Basic {base64.b64encode(f'{username}:{password}'.encode()).decode()}"


def check_sendable(name: str, value: object, origin: str = "") -> None:
    """See to it that a name, password or token is text that can be sent.

    Raises:
        ConfigError: it is not; the value is not shown.
    """
    where = f"{origin}: {name}" if origin else name
    if not isinstance(value, str):
        raise ConfigError(f"{where} must be a string, not a {type(value).__name__}")
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise ConfigError(f"{where} contains half of a surrogate pair")


def is_header_safe(token: str) -> bool:
    """Tell whether a token can stand in the header: visible ASCII."""
    return all("!" <= character <= "~" for character in token)
