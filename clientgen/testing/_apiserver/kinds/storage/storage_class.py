"""StorageClass: a kind of storage, and the driver that makes it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    duplicate,
    required,
)
from clientgen._apimachinery.name_syntax import qualified_name_problems
from clientgen._json import part, parts, texts

from ...tables.columns import AGE, NAME, Column, Printer, View, field
from ..defaults import TypeDefaults, set_missing
from ..metadata import MetadataChecks
from ..shared.class_parameters import parameter_causes, provisioner_causes
from ..shared.common_checks import (
    matches,
    one_of,
    unique,
)
from ..shared.node_labels import label_warning
from ..strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator

_DEFAULT: Final = (
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
)


def _name_of_class(view: View) -> str:
    annotations: dict[str, str] = view.at("metadata", "annotations") or {}
    default = any(annotations.get(key) == "true" for key in _DEFAULT)
    return f"{view.name} (default)" if default else view.name


_COLUMNS: Final = (
    replace(NAME, cell=_name_of_class),
    Column("Provisioner", "What makes the volumes.", field("provisioner"), doc="provisioner"),
    Column(
        "ReclaimPolicy",
        "What becomes of volumes when claims are gone.",
        field("reclaimPolicy", "Delete"),
        doc="reclaimPolicy",
    ),
    Column(
        "VolumeBindingMode",
        "When claims get their volumes.",
        field("volumeBindingMode", "Immediate"),
        doc="volumeBindingMode",
    ),
    Column(
        "AllowVolumeExpansion",
        "Whether volumes can grow.",
        field("allowVolumeExpansion", missing=False),
        doc="allowVolumeExpansion",
    ),
    AGE,
)


class StorageClassStrategy(Strategy):
    """The strategy for StorageClasses."""

    types = {
        "storage.v1.StorageClass": TypeDefaults(
            fill=lambda obj: set_missing(obj, reclaimPolicy="Delete", volumeBindingMode="Immediate")
        )
    }
    metadata_checks = MetadataChecks.UPDATE_AGAIN | MetadataChecks.WHOLE_AGAIN
    delete_returns_object = True
    immutable_fields = ("parameters", "provisioner", "reclaimPolicy", "volumeBindingMode")
    printer = Printer(_COLUMNS)

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check the driver, its parameters and the topologies."""
        yield from provisioner_causes(obj.get("provisioner") or "", "provisioner")
        yield from parameter_causes(part(obj, "parameters"))
        policy, mode = obj.get("reclaimPolicy"), obj.get("volumeBindingMode")
        yield from one_of("reclaimPolicy", policy or None, ("Delete", "Retain"), needed=False)
        yield from one_of("volumeBindingMode", mode, ("Immediate", "WaitForFirstConsumer"))
        # The server compares each with as many empty ones as there are.
        terms = parts(obj, "allowedTopologies")
        empty: frozenset[tuple[str, frozenset[str]]] = frozenset()
        seen = Counter({empty: len(terms)})
        for index, term in enumerate(terms):
            at = f"allowedTopologies[{index}].matchLabelExpressions"
            yield from _topology(term, at)
            pairs = frozenset(
                (each.get("key") or "", frozenset(texts(each, "values")))
                for each in parts(term, "matchLabelExpressions")
            )
            yield from (duplicate(at, "") for _ in range(seen[pairs]))
            seen[pairs] += 1

    def warnings_on_write(self, new: dict[str, Any], old: dict[str, Any] | None) -> Iterator[str]:
        """Warn of labels of nodes that are deprecated."""
        for index, topology in enumerate(parts(new, "allowedTopologies")):
            for number, expression in enumerate(parts(topology, "matchLabelExpressions")):
                if why := label_warning(expression.get("key") or ""):
                    at = f"allowedTopologies[{index}].matchLabelExpressions[{number}].key"
                    yield f"{at}: {why}"


def _topology(term: dict[str, Any], path: str) -> Iterator[Cause]:
    expressions = parts(term, "matchLabelExpressions")
    keys: set[str] = set()
    for index, expression in enumerate(expressions):
        at, key = f"{path}[{index}]", expression.get("key") or ""
        values = texts(expression, "values")
        if not values:
            yield required(f"{at}.values")
        yield from unique(f"{at}.values", values)
        yield from matches(f"{at}.key", key, qualified_name_problems)
        if key in keys:
            yield duplicate(f"{at}.key", key)
        keys.add(key)
