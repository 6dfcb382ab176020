"""What OpenAPI v3 says of the members of built-in types, and v2 does not: their defaults."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["declared_table"]

_PREFIXES: Final = ("io.k8s.api.", "io.k8s.kube-aggregator.pkg.apis.")
"""As kinds/defaults.py has them; CustomResourceDefinitions have rules of their own."""
_ZEROS: Final = ("", 0, False, None)


def declared_table(documents: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """`defaults`: the values of missing members. `parts`: members that are empty objects then."""
    defaults: dict[str, dict[str, Any]] = {}
    parts: dict[str, list[str]] = {}
    for name, field, value in _all(documents):
        if value == {}:
            if field != "metadata" and field not in parts.setdefault(name, []):
                parts[name].append(field)
        elif value not in _ZEROS:
            defaults.setdefault(name, {})[field] = value
    kept = {name: sorted(fields) for name, fields in sorted(parts.items()) if fields}
    return {"defaults": dict(sorted(defaults.items())), "parts": kept}


def _all(documents: Mapping[str, Any]) -> Iterator[tuple[str, str, Any]]:
    for document in documents.values():
        for long_name, schema in document.get("components", {}).get("schemas", {}).items():
            prefix = next((each for each in _PREFIXES if long_name.startswith(each)), None)
            if prefix is None:
                continue
            for field, member in schema.get("properties", {}).items():
                if "default" in member:
                    yield long_name.removeprefix(prefix), field, member["default"]
