"""An applied configuration merged into the object that is there.

Merging removes nothing. Where both have a value, that of the configuration counts. Lists keep the
live order if the configuration does not ask for another one.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Final

from clientgen._json import is_object

from .ownership_shapes import List, Map, Scalar
from .typed import element_of

if TYPE_CHECKING:
    from .field_paths import Element
    from .ownership_shapes import Shape, Type

_ABSENT: Final = object()


def merge(live: Any, config: Any, kind: Type) -> Any:
    """The live value with what the configuration has laid over it.

    Raises:
        Mistyped: the items of a list cannot be told apart.
    """
    if config is _ABSENT:
        return live
    if live is _ABSENT or _is_leaf(kind.shape(config), live, config):
        return config
    shape = kind.shape(config)
    if isinstance(shape, Map):
        return _fields(live, config, shape) or None
    if isinstance(shape, List):
        return _Lists(live, config, shape).merged() or None
    return config


def _is_leaf(shape: Shape, live: Any, config: Any) -> bool:
    if isinstance(shape, Scalar) or shape.atomic:
        return True
    container = dict if isinstance(shape, Map) else list
    return not any(each and isinstance(each, container) for each in (live, config))


def _fields(live: Any, config: Any, shape: Map) -> dict[str, Any]:
    made: dict[str, Any] = dict(live) if is_object(live) else {}
    for name, each in config.items() if is_object(config) else ():
        kind = shape.field(name)
        if kind is not None:
            made[name] = merge(made.get(name, _ABSENT), each, kind)
    return made


class _Lists:
    """Merges two lists whose items have elements.

    Items of both lists come in the order of the configuration; the others stay in front of whatever
    followed them.
    """

    def __init__(self, live: Any, config: Any, shape: List) -> None:
        self._shape = shape
        self._live = _told_apart(shape, live)
        self._config = _told_apart(shape, config)
        self._in_config = dict(self._config)
        self._in_live: dict[Element, Any] = {}
        for element, item in self._live:
            # an item that is there twice is not merged but replaced
            self._in_live[element] = _ABSENT if element in self._in_live else item
        self._shared = deque(each for each, _ in self._config if each in self._in_live)
        self._done: set[Element] = set()
        self._made: list[Any] = []

    def merged(self) -> list[Any]:
        """Return the merged list."""
        self._next_shared()
        left, right = 0, 0
        while left < len(self._live) or right < len(self._config):
            left, right = self._step(left, right)
        return self._made

    def _step(self, left: int, right: int) -> tuple[int, int]:
        if left < len(self._live):
            element, item = self._live[left]
            if right < len(self._config) and element == self._config[right][0]:
                self._take(element)
                self._next_shared()
                return left + 1, right + 1
            if element not in self._in_config:
                self._made.append(item)
                return left + 1, right
            waits = right < len(self._config) and self._wanted not in {None, element}
            if waits:
                return left + 1, right
            left += element in self._done
        if right < len(self._config):
            element = self._config[right][0]
            self._take(element)
            if element == self._wanted:
                self._next_shared()
            right += 1
        return left, right

    def _next_shared(self) -> None:
        self._wanted: Element | None = self._shared.popleft() if self._shared else None

    def _take(self, element: Element) -> None:
        self._done.add(element)
        live = self._in_live.get(element, _ABSENT)
        self._made.append(merge(live, self._in_config[element], self._shape.item))


def _told_apart(shape: List, items: Any) -> list[tuple[Element, Any]]:
    return [(element_of(shape, item), item) for item in items or ()]
