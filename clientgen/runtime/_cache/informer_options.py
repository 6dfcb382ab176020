"""Options of informers and informer factories.

`AsyncInformerFactory` and `InformerFactory` explain each option.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias, TypedDict, cast

from .._http.path_segments import check_segment
from .._http.request import selector_text
from .._http.shard_ranges import ShardRanges, parse_shard_selector
from .._models.arguments import type_of, unexpected_option
from .._models.meta_v1 import LabelSelector

if TYPE_CHECKING:
    from .._clock import Clock
    from .._http.call_options import Fields, Labels
    from .._http.resource import Resource
    from .informer_metrics import InformerMetricsProvider
    from .storage_forms import StorageForm


class ShardReader(Protocol):
    """An informer that reads a part of its collection."""

    def _read_shard(self, ranges: ShardRanges | None, /) -> None:
        """Read the objects with these hashes; None if the hashes are not known yet."""
        ...


class ShardSource(Protocol):
    """The hashes of the objects that an informer reads, which may change: `AsyncSharding`."""

    def _join(self, reader: ShardReader, /) -> None: ...
    def _leave(self, reader: ShardReader, /) -> None: ...


ShardSelection: TypeAlias = str | ShardSource | None
"""The text of a shard selector, sharding whose shard changes, or None for all objects."""


class NamespaceOptions(TypedDict, total=False):
    """Selectors of an informer for one namespace. Missing options default to the informer's."""

    label_selector: Labels | None
    field_selector: Fields | None


Namespaces: TypeAlias = str | Sequence[str] | Mapping[str, NamespaceOptions] | None
"""One namespace, several namespaces, or None for all namespaces.

A mapping gives namespaces selectors of their own:
`{"shop": {"label_selector": "app=web"}, "ops": {}}`.
"""


class SelectorOptions(NamespaceOptions, total=False):
    """Selectors of an informer. Missing options default to the factory's; None selects all.

    `shard_selector` is the text of a shard selector, or an `AsyncSharding`, whose replicas divide
    the objects among them.

    `storage="compressed"` keeps each object compressed, and decodes it when it is read. It needs
    Python 3.14, or the extra `clientgen[zstd]`. `"full"`, the default, keeps decoded objects.
    """

    shard_selector: ShardSelection
    storage: StorageForm


class ScopeOptions(SelectorOptions, total=False):
    """Selectors and namespaces of an informer."""

    namespace: Namespaces


class FactoryOptions(ScopeOptions, total=False):
    """Options that all informers of a factory share.

    `resync_period` is in seconds; 0 disables resyncs. `transform` is called with every object
    before it is stored, to drop what the program does not need. `strip_managed_fields` drops the
    managed fields before that; they are half of many objects, and few programs read them. With
    `own_writes`, the default, caches show an object that the same client has written as soon as the
    write returns.
    """

    resync_period: float
    transform: Callable[[Any], Any] | None
    strip_managed_fields: bool
    clock: Clock
    metrics: InformerMetricsProvider | None
    own_writes: bool


class Selectors(NamedTuple):
    """The selectors of one namespace, as texts; None selects all."""

    labels: str | None = None
    fields: str | None = None

    @property
    def is_selective(self) -> bool:
        """Whether there is a selector."""
        return bool(self.labels or self.fields)


class NamespaceSelectors:
    """The selectors of an informer, and those of namespaces that have their own.

    Raises:
        TypeError: An option of a namespace does not exist, or a selector has a wrong type.
        ValueError: A selector is not valid.
    """

    def __init__(
        self, namespaces: object, label_selector: Labels | None, field_selector: Fields | None
    ) -> None:
        self.default = _selectors(label_selector, field_selector)
        self.by_namespace: dict[str, Selectors] = {}
        if not isinstance(namespaces, Mapping):
            return
        for name, options in cast("Mapping[str, Mapping[str, Any]]", namespaces).items():
            for option in options.keys() - _NAMESPACE_OPTIONS:
                raise unexpected_option(option, _NAMESPACE_OPTIONS)
            self.by_namespace[name] = _selectors(
                options.get("label_selector", self.default.labels),
                options.get("field_selector", self.default.fields),
            )

    def of(self, namespace: str | None) -> Selectors:
        """Return the selectors of a namespace; None means all namespaces together."""
        return self.by_namespace.get(namespace or "", self.default)

    @property
    def is_selective(self) -> bool:
        """Whether there is a selector."""
        return any(each.is_selective for each in (self.default, *self.by_namespace.values()))

    @property
    def key(self) -> tuple[object, ...]:
        """A value that is equal for equal selectors."""
        return (self.default, *sorted(self.by_namespace.items()))


def _selectors(label_selector: Labels | None, field_selector: Fields | None) -> Selectors:
    return Selectors(
        selection("label_selector", label_selector), selection("field_selector", field_selector)
    )


def shard_ranges_of(shard_selector: ShardSelection) -> ShardRanges | None:
    """Return the ranges of a shard selector; None for all objects, and if the ranges change.

    Raises:
        TypeError: The value is neither a text nor sharding.
        ValueError: The text is not a shard selector.
    """
    if isinstance(shard_selector, str):
        return parse_shard_selector(shard_selector)
    if shard_selector is not None and not hasattr(shard_selector, "_read_needed"):
        raise TypeError(
            "shard_selector must be a text or an AsyncSharding (Sharding for threads), not"
            f" {type_of(shard_selector)}"
        )
    return None


_NAMESPACE_OPTIONS = frozenset({"label_selector", "field_selector"})


def namespaces_of(resource: Resource, namespace: Namespaces) -> tuple[str, ...]:
    """Return the namespaces to watch, sorted and without duplicates; empty for all namespaces.

    Raises:
        ValueError: A namespace is not a valid name, or the list is empty.
    """
    if namespace is None or not resource.namespaced:
        return ()
    return names_of(namespace)


def names_of(namespaces: str | Sequence[str] | Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of namespaces, sorted and without duplicates.

    Raises:
        ValueError: A namespace is not a valid name, or the list is empty.
    """
    value: Any = namespaces
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        return (check_segment("namespace", cast("Any", value)),)
    names = {check_segment("namespace", name) for name in cast("Iterable[str]", value)}
    if not names:
        raise ValueError("the list of namespaces is empty; None means all namespaces")
    return tuple(sorted(names))


def namespace_selector(value: Namespaces | Labels) -> str | None:
    """Return the label selector of namespaces; None if the value is names of namespaces.

    A string is a selector if it has one of the characters `=`, `!` or `(`. Names have none of
    these.

    Raises:
        ValueError: The value is not a valid label selector, or selects everything.
    """
    is_text = isinstance(value, str) and any(character in value for character in "=!(")
    is_selector = isinstance(value, LabelSelector) or (
        isinstance(value, Mapping) and not _has_options(value)
    )
    if not is_text and not is_selector:
        return None
    text = selection("label_selector", cast("Any", value))
    if text is None:
        raise ValueError("the label selector of the namespaces is empty; None means all namespaces")
    from .._http.selectors import parse_label_selector  # imported late: rarely needed

    parse_label_selector(text)
    return text


def _has_options(value: Mapping[Any, Any]) -> bool:
    """Return whether a mapping gives options to namespaces; otherwise it is a label selector."""
    return bool(value) and all(isinstance(each, Mapping) for each in value.values())


def selection(name: str, value: Labels | Fields | None) -> str | None:
    """Return the text of a selector; None if it selects everything. `name` is the option.

    Raises:
        TypeError: the value is neither a string nor a mapping.
        ValueError: a key or a value is not valid.
    """
    return None if value is None else selector_text(name, value) or None
