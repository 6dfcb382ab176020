"""Namespace: what separates the objects of teams and applications."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, forbidden, invalid_value
from clientgen._apimachinery.name_syntax import label_problems, qualified_name_problems
from clientgen._json import part, texts

from ...tables.columns import AGE, NAME, Column, Printer, field
from ..defaults import TypeDefaults, set_empty
from ..metadata import MetadataChecks
from ..selector_fields import text
from ..shared.common_checks import matches
from ..strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...object_reader import ObjectReader

_FINALIZER: Final = "kubernetes"
_STANDARD_FINALIZERS: Final = ("kubernetes", "orphan", "foregroundDeletion")
_PROTECTED: Final = frozenset({"default", "kube-system", "kube-public"})
_NOT_QUALIFIED: Final = "name is neither a standard finalizer name nor is it fully qualified"


def _label_with_name(namespace: dict[str, Any]) -> None:
    metadata = namespace["metadata"]
    if metadata.get("name"):
        labels = part(metadata, "labels")
        metadata["labels"] = {**labels, "kubernetes.io/metadata.name": metadata["name"]}


class NamespaceStrategy(Strategy):
    """The strategy for Namespaces. Their `finalize` subresource writes `spec.finalizers`."""

    types = {
        "core.v1.Namespace": TypeDefaults(fill=_label_with_name),
        "core.v1.NamespaceStatus": TypeDefaults(
            fill=lambda status: set_empty(status, phase="Active")
        ),
    }
    metadata_checks = MetadataChecks.UPDATE_AGAIN | MetadataChecks.WHOLE_AGAIN
    delete_returns_object = True
    conflict_names_resource = True
    selectable_fields = {"status.phase": text("status.phase")}
    printer = Printer(
        (NAME, Column("Status", "Whether it is in use or going.", field("status.phase")), AGE)
    )

    def name_problems(self, name: str) -> list[str]:
        """Allow DNS labels."""
        return label_problems(name)

    def prepare_for_create(self, obj: dict[str, Any], reader: ObjectReader) -> None:
        """Add the finalizer, and the label with a name that was generated."""
        finalizers = texts(obj["spec"], "finalizers")
        if _FINALIZER not in finalizers:
            obj["spec"]["finalizers"] = [*finalizers, _FINALIZER]
        _label_with_name(obj)

    def prepare_for_update(
        self, new: dict[str, Any], old: dict[str, Any], reader: ObjectReader
    ) -> None:
        """Keep the spec."""
        new["spec"] = old.get("spec", {})

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check the finalizers of a new namespace."""
        for name in texts(obj["spec"], "finalizers"):
            yield from matches("spec.finalizers", name, qualified_name_problems)
            if "/" not in name and name != _FINALIZER:
                yield invalid_value("spec.finalizers", name, _NOT_QUALIFIED)

    def validate_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Accept every update: the spec is kept."""
        yield from ()

    def validate_status_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Check that the phase tells whether the namespace is being deleted."""
        is_deleted = bool(new["metadata"].get("deletionTimestamp"))
        phase = part(new, "status").get("phase") or ""
        expected = "Terminating" if is_deleted else "Active"
        if phase != expected:
            state = "not " if is_deleted else ""
            why = f"may only be '{expected}' if `deletionTimestamp` is {state}empty"
            yield invalid_value("status.Phase", phase, why)

    def validate_subresource_update(
        self, subresource: str, new: dict[str, Any], old: dict[str, Any]
    ) -> Iterator[Cause]:
        """Check the finalizers that `finalize` writes."""
        names = texts(part(new, "spec"), "finalizers") if subresource == "finalize" else []
        for index, name in enumerate(names):
            field = f"spec.finalizers[{index}]"
            problems = qualified_name_problems(name)
            yield from (invalid_value(field, name, problem) for problem in problems)
            if not problems and "/" not in name and name not in _STANDARD_FINALIZERS:
                yield invalid_value(field, name, _NOT_QUALIFIED)

    def check_delete(self, name: str) -> None:
        """Protect the namespaces of the system.

        Raises:
            Failure: 403.
        """
        if name in _PROTECTED:
            raise forbidden("", "namespaces", name, "this namespace may not be deleted")

    def is_emptied_first(self, obj: dict[str, Any]) -> bool:
        """Return whether the namespace still has finalizers."""
        return bool(part(obj, "spec").get("finalizers"))
