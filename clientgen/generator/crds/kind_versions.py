"""One version of a kind, with its markers."""

from __future__ import annotations

from dataclasses import dataclass

from clientgen._problems import Problems
from clientgen.generator.kubebuilder.kubebuilder_markers import KubebuilderMarker, parse_markers
from clientgen.generator.python_types.class_records import ApiKind


@dataclass(frozen=True, slots=True)
class Version:
    """A kind as one of its versions has it."""

    kind: ApiKind
    markers: tuple[KubebuilderMarker, ...]

    @property
    def where(self) -> str:
        """The place of its class."""
        return self.kind.type.where

    def marker(self, name: str) -> KubebuilderMarker | None:
        """The marker of that name, of those that are said once."""
        return next((marker for marker in self.markers if marker.name == name), None)

    def all(self, name: str) -> list[KubebuilderMarker]:
        """All markers of that name, in their order."""
        return [marker for marker in self.markers if marker.name == name]

    def is_skipped(self) -> bool:
        """Return whether its class or its module asks to be left out."""
        module = parse_markers(self.kind.module.markers, Problems(), "module")
        own = any(marker.name in ("skip", "skipversion") for marker in self.markers)
        return own or any(marker.name == "skip" for marker in module)
