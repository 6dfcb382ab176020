"""References of a document: each has to lead to a schema with a name, and none back to itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clientgen._json import is_array, is_object
from clientgen._openapi.json_source import follow, parts_of, pointer
from clientgen._openapi.schema import named_schemas

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clientgen._openapi.json_source import Trail
    from clientgen._problems import Problems


def check_references(document: dict[str, Any], shown: str, problems: Problems, *at: str) -> None:
    """Report every `$ref` to nowhere and every schema that is nothing but itself.

    Args:
        document: what was read.
        shown: how messages call it.
        problems: takes the reports.
        at: the way to the named schemas.
    """
    schemas, prefix = named_schemas(document, *at), f"{pointer(*at)}/"
    wanted = {prefix + pointer(name)[2:] for name in schemas}
    for trail, reference in _references(schemas):
        if reference not in wanted:
            _complain(document, shown + _spell(trail, at), reference, problems)
    for trail, reference in _references(document, without=schemas):
        if reference not in wanted and not _leads_somewhere(document, reference):
            _complain(document, shown + _spell(trail), reference, problems)
    for cycle in _cycles(schemas):
        keyword = "$ref" if "$ref" in schemas[cycle[0]] else "allOf"
        problems.add(
            shown + pointer(*at, cycle[0], keyword),
            f"{keyword} leads back to itself: {' -> '.join([*cycle, cycle[0]])}",
            "A schema cannot contain itself; break the circle.",
        )


def _complain(document: dict[str, Any], where: str, reference: str, problems: Problems) -> None:
    if _leads_somewhere(document, reference):
        what, hint = "which is no schema with a name", "Name that schema and refer to it."
    else:
        what, hint = "which is not in the document", "Add the definition or correct the name."
    problems.add(where, f"$ref leads to {reference!r}, {what}", hint)


def _leads_somewhere(document: dict[str, Any], reference: str) -> bool:
    try:
        follow(document, reference)
    except KeyError:
        return False
    return True


# The values of these keys are data, not parts of the document.
_VALUES = frozenset({"default", "enum", "example", "examples"})


def _references(start: Any, *, without: object = None) -> Iterator[tuple[Trail, str]]:
    """Every `$ref` and its trail. A property that is itself called `$ref` holds no string."""
    todo: list[tuple[Any, Trail]] = [(start, ())]
    while todo:
        node, trail = todo.pop()
        if is_object(node) and type(node.get("$ref")) is str:
            yield trail, node["$ref"]
        entries = node.items() if is_object(node) else enumerate(node)
        named = not trail or trail[1] == "properties"
        todo += [
            (v, (trail, k))
            for k, v in entries
            if (type(v) is dict or type(v) is list)
            and v is not without
            and (named or k not in _VALUES)
        ]


def _spell(trail: Trail, at: tuple[str, ...] = ()) -> str:
    return pointer(*at, *parts_of(trail))


def _cycles(definitions: dict[str, Any]) -> list[list[str]]:
    """Circles among definitions along `allOf` and `$ref`, each once, from its first name on."""
    edges = {name: _taken_over(schema) for name, schema in definitions.items()}
    edges = {name: targets for name, targets in edges.items() if targets}
    done: set[str] = set()
    cycles: list[list[str]] = []
    for start in sorted(edges):
        cycle = _walk(start, edges, done)
        if cycle:
            first = cycle.index(min(cycle))
            cycles.append(cycle[first:] + cycle[:first])
    return cycles


def _walk(start: str, edges: dict[str, list[str]], done: set[str]) -> list[str]:
    """Depth-first without recursion; the circle that is met first, or nothing."""
    path: dict[str, None] = {}
    todo: list[tuple[str, bool]] = [(start, True)]
    while todo:
        name, enter = todo.pop()
        if not enter:
            path.popitem()
            done.add(name)
        elif name in path:
            done.update(path)
            names = list(path)
            return names[names.index(name) :]
        elif name not in done:
            path[name] = None
            todo.append((name, False))
            todo.extend((target, True) for target in edges.get(name, []))
    return []


def _taken_over(schema: object) -> list[str]:
    """The definitions that a schema takes over as a whole, itself or by what it is made of."""
    references: list[Any] = []
    todo = [schema]
    while todo:
        part = todo.pop()
        if is_object(part):
            references.append(part.get("$ref"))
            inner = part.get("allOf")
            todo += inner if is_array(inner) else []
    stated = (ref for ref in reversed(references) if isinstance(ref, str))
    return [ref.rpartition("/")[2].replace("~1", "/").replace("~0", "~") for ref in stated]
