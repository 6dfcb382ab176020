"""Typed field selectors: `fields.core_v1.Pod.spec_node_name == "n1"`.

Generated packages have a `SelectableField` for each field by which the server can select objects.
"""

from __future__ import annotations

from typing import Final

from .selectors import field_selector


class FieldTerm(str):
    """A field selector, as a string for every `field_selector=`. `&` joins two field selectors."""

    __slots__ = ()

    def __and__(self, other: FieldTerm) -> FieldTerm:
        """Select the objects that both field selectors select."""
        if not isinstance(other, FieldTerm):  # pyright: ignore[reportUnnecessaryIsInstance]
            return NotImplemented
        return FieldTerm(f"{self},{other}")

    def __bool__(self) -> bool:
        """Refuse `and`, `or` and `not`: a server cannot evaluate them.

        Raises:
            TypeError: always.
        """
        raise TypeError("a field selector is neither true nor false; join two of them with `&`")


class SelectableField:
    """A field by which the server can select objects.

    `field == value` and `field != value` make a field selector. Text, whole numbers and booleans
    are written as the server compares them; enum values are text.
    """

    __slots__ = ("path",)

    def __init__(self, path: str) -> None:
        self.path: Final = path

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.path!r})"

    def __eq__(  # type: ignore[override]
        self, value: str | int
    ) -> FieldTerm:  # pyright: ignore[reportIncompatibleMethodOverride]
        return FieldTerm(field_selector({self.path: _field_value_text(self.path, value)}))

    def __ne__(  # type: ignore[override]
        self, value: str | int
    ) -> FieldTerm:  # pyright: ignore[reportIncompatibleMethodOverride]
        return FieldTerm(
            field_selector({}, unequal={self.path: _field_value_text(self.path, value)})
        )

    def __hash__(self) -> int:
        return hash(self.path)


def _field_value_text(path: str, value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, int)):
        return str(value)
    raise TypeError(
        f"{path} is compared with a string, a whole number or a boolean, not with a"
        f" {type(value).__name__}"
    )
