"""The values of the Authorization header."""

from __future__ import annotations

__all__ = ["basic", "bearer", "is_header_safe"]


def bearer(token: str) -> str | None:
    """A token as the header says it; None without one."""
    return f"Bearer {token}" if token else None


def basic(username: str, password: str) -> str | None:
    """A name and password as the header says them; None without either."""
    if not username and not password:
        return None
    import base64  # late: passwords are rare

    return f"Basic {base64.b64encode(f'{username}:{password}'.encode()).decode()}"


def is_header_safe(token: str) -> bool:
    """Whether a token can stand in the header: visible ASCII."""
    return all("!" <= character <= "~" for character in token)
