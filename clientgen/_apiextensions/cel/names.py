"""Names of members in rules: names that CEL cannot have are escaped."""

from __future__ import annotations

import re
from typing import Final

from clientgen._text_cache import cached_if_short

__all__ = ["escaped"]

_RESERVED: Final = frozenset(
    [
        "true",
        "false",
        "null",
        "in",
        "as",
        "break",
        "const",
        "continue",
        "else",
        "for",
        "function",
        "if",
        "import",
        "let",
        "loop",
        "package",
        "namespace",
        "return",
        "var",
        "void",
        "while",
    ]
)
_NAME: Final = re.compile(r"[A-Za-z_.\-/][A-Za-z0-9_.\-/]*")
_SPECIAL: Final = {"__": "__underscores__", ".": "__dot__", "-": "__dash__", "/": "__slash__"}


@cached_if_short
def escaped(name: str) -> str | None:
    """The identifier for a member, None when rules cannot name it."""
    if name in _RESERVED:
        return f"__{name}__"
    if not _NAME.fullmatch(name):
        return None
    return re.sub(r"__|[.\-/]", lambda match: _SPECIAL[match[0]], name)
