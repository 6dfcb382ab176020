"""Objects of kinds without a class."""

from __future__ import annotations

from typing import Any, cast

__all__ = ["Unstructured"]


class Unstructured(dict[str, Any]):
    """An object of a kind without a class. Its JSON is written as it was read.

    client-go: unstructured.Unstructured.
    """

    @property
    def api_version(self) -> str:
        """The `apiVersion`."""
        return str(self["apiVersion"])

    @property
    def kind(self) -> str:
        """The kind."""
        return str(self["kind"])

    @property
    def name(self) -> str:
        """The name, or an empty string."""
        return self._metadata("name")

    @property
    def namespace(self) -> str:
        """The namespace, or an empty string."""
        return self._metadata("namespace")

    def _metadata(self, name: str) -> str:
        metadata: object = self.get("metadata")
        if not isinstance(metadata, dict):
            return ""
        return str(cast("dict[str, object]", metadata).get(name) or "")
