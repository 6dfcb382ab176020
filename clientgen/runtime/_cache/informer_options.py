"""Options of informers and informer factories.

`AsyncInformerFactory` and `InformerFactory` explain each option.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict, cast

from .._http.path_segments import check_segment
from .._http.request import selector_text

if TYPE_CHECKING:
    from .._clock import Clock
    from .._http.call_options import Fields, Labels
    from .._http.resource import Resource
    from .informer_metrics import InformerMetricsProvider
    from .storage_forms import StorageForm

Namespaces: TypeAlias = str | Sequence[str] | None
"""One namespace, several namespaces, or None for all namespaces."""


class SelectorOptions(TypedDict, total=False):
    """Selectors of an informer. Missing options default to the factory's; None selects all.

    `storage="compressed"` keeps each object compressed, and decodes it when it is read. It needs
    Python 3.14, or the extra `clientgen[zstd]`. `"full"`, the default, keeps decoded objects.
    """

    label_selector: Labels | None
    field_selector: Fields | None
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


def namespaces_of(resource: Resource, namespace: Namespaces) -> tuple[str, ...]:
    """Return the namespaces to watch, sorted and without duplicates; empty for all namespaces.

    Raises:
        ValueError: A namespace is not a valid name, or the list is empty.
    """
    if namespace is None or not resource.namespaced:
        return ()
    return names_of(namespace)


def names_of(namespaces: str | Sequence[str]) -> tuple[str, ...]:
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
    if not is_text and not isinstance(value, Mapping):
        return None
    text = selection("label_selector", cast("Any", value))
    if text is None:
        raise ValueError("the label selector of the namespaces is empty; None means all namespaces")
    from .._http.selectors import parse_label_selector  # imported late: rarely needed

    parse_label_selector(text)
    return text


def selection(name: str, value: Labels | Fields | None) -> str | None:
    """Return the text of a selector; None if it selects everything. `name` is the option.

    Raises:
        TypeError: the value is neither a string nor a mapping.
        ValueError: a key or a value is not valid.
    """
    return None if value is None else selector_text(name, value) or None
