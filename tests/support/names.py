"""What is passed where a name belongs, by mistake: none of it may reach a server."""

from __future__ import annotations

from typing import Any, Final


class Pretender(str):
    """An empty string that says otherwise."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return True

    def __str__(self) -> str:
        return "web"

    def __format__(self, spec: str) -> str:
        return "web"


NO_NAMES: Final[tuple[Any, ...]] = (
    None,
    "",
    Pretender(""),
    0,
    1,
    False,
    True,
    2.5,
    b"web",
    ["web"],
    ("web",),
    {"name": "web"},
    object,
    ".",
    "..",
    "a/b",
    "../nodes",
    "a%2Fb",
    "half\udc80",
)
