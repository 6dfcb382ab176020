"""Columns that workloads share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ...tables.columns import AGE, NAME, Column, View, field
from ...tables.selector_text import shown_selector

if TYPE_CHECKING:
    from collections.abc import Callable


def template_columns(*path: str, priority: int = 1) -> tuple[Column, Column]:
    """Return the columns of names and images of the containers in the pod template at a path."""

    def joined(key: str) -> Callable[[View], str]:
        def cell(view: View) -> str:
            containers = view.items(*path, "spec", "containers")
            return ",".join(container.get(key, "") for container in containers)

        return cell

    return (
        Column("Containers", "The template's containers.", joined("name"), priority=priority),
        Column("Images", "The images these run.", joined("image"), priority=priority),
    )


def count_column(name: str, about: str, path: str, *, kind: str = "integer") -> Column:
    """Return the column of a number."""
    return Column(name, about, field(path, 0), type=kind, doc=path)


def selector_column(path: str = "spec.selector") -> Column:
    """Return the column of a label selector."""
    keys = path.split(".")
    return Column(
        "Selector",
        "Which Pods belong to it.",
        lambda view: shown_selector(view.at(*keys)),
        priority=1,
        doc=path,
    )


def _ready_of_desired(view: View) -> str:
    ready, desired = view.at("status", "readyReplicas"), view.at("spec", "replicas")
    return f"{ready or 0}/{desired or 0}"


READY_COLUMN: Final = Column("Ready", "How many of the desired Pods are ready.", _ready_of_desired)
TEMPLATE_COLUMNS: Final = template_columns("spec", "template")
"""The containers and images of `spec.template`."""
REPLICA_COLUMNS: Final = (
    NAME,
    count_column("Desired", "How many Pods there should be.", "spec.replicas"),
    count_column("Current", "How many Pods there are.", "status.replicas"),
    count_column("Ready", "How many Pods are ready.", "status.readyReplicas"),
    AGE,
    *TEMPLATE_COLUMNS,
)
"""The columns of ReplicaSets and ReplicationControllers."""
