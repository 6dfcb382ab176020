"""Selection of objects by labels and fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clientgen._apimachinery.failures import bad_request

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..requests.request_options import ListOptions
    from ..server_selectors import FieldTerm
    from ..storage.store import Record
    from ..storage.versioned_view import VersionedView


def check_fields(view: VersionedView, terms: Sequence[FieldTerm]) -> None:
    """Refuse fields that objects cannot be selected by.

    Raises:
        Failure: 400.
    """
    for term in terms:
        if term.field not in view.known_fields():
            raise bad_request(_unknown_field(view, term.field))


def _unknown_field(view: VersionedView, field: str) -> str:
    if view.strategy.codec.typed_items or view.strategy.known_fields():
        return f"field label not supported: {field}"
    known = '"metadata.name", "metadata.namespace"'
    return f'"{field}" is not a known field selector: only {known}'


def selects(view: VersionedView, options: ListOptions, record: Record) -> bool:
    """Return whether the selectors match an object."""
    if options.shard is not None and not options.shard(record):
        return False
    if options.labels is not None and not options.labels(record.labels):
        return False
    return all(
        (view.field(record, term.field) == term.value) is term.equal for term in options.fields
    )


def selected(
    view: VersionedView, options: ListOptions, records: Sequence[Record]
) -> Sequence[Record]:
    """Return the objects that the selectors match."""
    if not options.selects:
        return records
    return [record for record in records if selects(view, options, record)]
