"""Finds circular references in linear time."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)


def circles(edges: Mapping[Node, Iterable[Node]]) -> dict[Node, frozenset[Node]]:
    """Return the nodes that each node reaches and is reached by (Kosaraju's algorithm)."""
    ahead = {
        node: [target for target in targets if target in edges] for node, targets in edges.items()
    }
    back: dict[Node, list[Node]] = {node: [] for node in edges}
    for node, targets in ahead.items():
        for target in targets:
            back[target].append(node)
    members: dict[Node, frozenset[Node]] = {}
    for node in reversed(_finished(ahead)):
        if node not in members:
            circle = frozenset(_reachable(node, back, members))
            members.update(dict.fromkeys(circle, circle))
    return members


def _finished(edges: Mapping[Node, list[Node]]) -> list[Node]:
    """The nodes, each after those that are reached from it first."""
    order: dict[Node, None] = {}
    begun: set[Node] = set()
    todo = list(edges)
    while todo:
        node = todo[-1]
        if node in begun:
            order[todo.pop()] = None
        else:
            begun.add(node)
            todo += [target for target in edges[node] if target not in begun]
    return list(order)


def _reachable(
    start: Node, edges: Mapping[Node, list[Node]], without: Collection[Node]
) -> set[Node]:
    reached = {start}
    todo = [start]
    while todo:
        new = {
            target
            for target in edges[todo.pop()]
            if target not in reached and target not in without
        }
        reached |= new
        todo += new
    return reached
