"""The parts of a template: text, actions in braces, and ranges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from .steps import Step


@dataclass(frozen=True)
class Text:
    """Text outside of braces."""

    text: str


@dataclass(frozen=True)
class Action:
    """A path in braces, which selects values."""

    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Range:
    """`{range PATH}...{end}`: a part that is repeated for each value."""

    steps: tuple[Step, ...]
    body: tuple[Node, ...]


Node: TypeAlias = "Text | Action | Range"
