"""Markers of modules and classes: each line is parsed by the grammar it belongs to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from clientgen._problems import Problems
from clientgen.generator.genclient import Genclient, MarkerLine
from clientgen.generator.genclient_markers import extract_markers, parse_markers
from clientgen.generator.kubebuilder.kubebuilder_markers import KubebuilderMarker
from clientgen.generator.kubebuilder.kubebuilder_markers import parse_markers as parse_kubebuilder
from clientgen.generator.python_types.class_records import TypeClass, TypeModule
from clientgen.generator.python_types.module_syntax import tag_of

_ROOT = "kubebuilder:object:root"
# Markers that only a kind can have.
_OF_KINDS = frozenset(
    {
        "deprecatedversion",
        "printcolumn",
        "resource",
        "selectablefield",
        "storageversion",
        "subresource:scale",
        "subresource:status",
        "unservedversion",
    }
)


@dataclass(frozen=True, slots=True)
class ClassMarkers:
    """The markers of one class, or of a module."""

    genclient: Genclient
    kubebuilder: Mapping[str, KubebuilderMarker] = field(
        default_factory=dict[str, KubebuilderMarker]
    )
    root: bool = False
    """`+kubebuilder:object:root=true`: it is a kind, or the list of one."""
    selectable_fields: tuple[str, ...] = ()
    """The JSON paths of `+kubebuilder:selectablefield`, of which a kind may have several."""

    def value(self, name: str) -> Any:
        """The value of a marker of kubebuilder's; None without it."""
        marker = self.kubebuilder.get(name)
        return marker.value if marker else None

    def argument(self, name: str, argument: str) -> str | None:
        """An argument of a marker of kubebuilder's; None if it is not given."""
        arguments: Mapping[str, object] = self.value(name) or {}
        value = arguments.get(argument)
        return str(value) if value is not None else None

    def where(self, name: str) -> str:
        """Return the position of a kubebuilder marker, or "" without it."""
        marker = self.kubebuilder.get(name)
        return marker.where if marker else ""

    @property
    def is_kind(self) -> bool:
        """Whether only a kind can have these markers."""
        return self.genclient.generate or self.root or not _OF_KINDS.isdisjoint(self.kubebuilder)


def markers_of_module(module: TypeModule, problems: Problems) -> ClassMarkers:
    """Read what stands at the top of a module; what is wrong goes to `problems`."""
    lines, kubebuilder_lines = _divide(module.markers)
    kubebuilder = {
        marker.name: marker for marker in parse_kubebuilder(kubebuilder_lines, problems, "module")
    }
    return ClassMarkers(parse_markers(lines, problems), kubebuilder)


def markers_of_class(type_: TypeClass, problems: Problems) -> ClassMarkers:
    """Read what stands above a class; what is wrong goes to `problems`."""
    lines, kubebuilder_lines = _divide(type_.markers)
    kubebuilder: dict[str, KubebuilderMarker] = {}
    markers = parse_kubebuilder(kubebuilder_lines, problems, "type")
    for marker in markers:
        kubebuilder.setdefault(marker.name, marker)
    selectable = tuple(
        str(path)
        for marker in markers
        if marker.name == "selectablefield" and (path := marker.value.get("JSONPath"))
    )
    root = any(tag_of(m.text) == _ROOT and not m.text.endswith("=false") for m in kubebuilder_lines)
    return ClassMarkers(parse_markers(lines, problems), kubebuilder, root, selectable)


def genclient_lines(markers: Iterable[MarkerLine]) -> list[MarkerLine]:
    """List the markers with the `+genclient` grammar, or that were meant to have it."""
    return _divide(markers)[0]


def _divide(markers: Iterable[MarkerLine]) -> tuple[list[MarkerLine], Sequence[MarkerLine]]:
    lines: list[MarkerLine] = []
    kubebuilder_lines: list[MarkerLine] = []
    for marker in markers:
        (lines if extract_markers(marker.text, "") else kubebuilder_lines).append(marker)
    return lines, kubebuilder_lines
