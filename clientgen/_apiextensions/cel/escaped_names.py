"""Names of members in rules: names that CEL cannot have are escaped.

Facts: docs/internals/kubernetes-semantics.md, 1.15.
"""

from __future__ import annotations

import re
from typing import Final

from clientgen._text_cache import cached_if_short

_RESERVED: Final = frozenset(
    [
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
LITERALS: Final = frozenset(["true", "false", "null", "in"])
"""Words that the grammar has elsewhere: they cannot stand behind a dot."""
_ESCAPED: Final = re.compile(r"__[^_]+__")
_NAME: Final = re.compile(r"[A-Za-z_.\-/][A-Za-z0-9_.\-/]*")
_SPECIAL: Final = {"__": "__underscores__", ".": "__dot__", "-": "__dash__", "/": "__slash__"}


@cached_if_short
def spellings(name: str) -> tuple[str, ...]:
    """The identifiers by which rules may name a member; none where they cannot.

    A reserved word may stand behind a dot as it is, since Kubernetes 1.31.
    """
    if name in _RESERVED:
        return f"__{name}__", name
    if name in LITERALS:
        return (f"__{name}__",)
    if not _NAME.fullmatch(name):
        return ()
    return (re.sub(r"__|[.\-/]", lambda match: _SPECIAL[match[0]], name),)


def declared_names(variable: str) -> tuple[str, ...]:
    """The names by which checks of expressions know a variable of a policy."""
    word = variable[2:-2]
    is_escaped = variable == f"__{word}__" and word in _RESERVED
    return (variable, word) if is_escaped else (variable,)


def is_found(variable: str) -> bool:
    """Return whether runs of expressions find a variable of a policy.

    API servers look for its unescaped name, so that they do not find `__namespace__`.
    """
    return not _ESCAPED.search(variable)
