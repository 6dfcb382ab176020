"""Apply configurations that MutatingAdmissionPolicies make, merged into objects.

The merge is that of server-side apply. Nobody owns what it sets, and it may not touch what would be
replaced as a whole.

Facts: docs/internals/kubernetes-semantics.md, 1.13.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clientgen._json import is_array, is_object

from .merge import merge
from .ownership_shapes import List, Map, type_of_kind
from .typed import Mistyped, problems

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clientgen._openapi.resolved import ResolvedSchema

    from .ownership_shapes import Type


def merged(live: dict[str, Any], config: dict[str, Any], schema: ResolvedSchema | None) -> Any:
    """Return the object with a configuration laid over it.

    Raises:
        Mistyped: one of the two is not of its type, or the configuration has atomic parts.
    """
    kind = type_of_kind(schema)
    _check(config, kind, "failed to convert patch object to typed object: ", duplicates=False)
    atomics = list(_atomics(config, kind, ""))
    if atomics:
        listed = ", ".join(atomics)
        why = f"may not mutate atomic arrays, maps or structs: {listed}"
        raise Mistyped(f"invalid ApplyConfiguration: {why}")
    _check(live, kind, "failed to convert original object to typed object: ", duplicates=True)
    try:
        return merge(live, config, kind)
    except Mistyped as error:
        raise Mistyped(f"failed to merge patch: {error}") from None


def _check(value: Any, kind: Type, prefix: str, *, duplicates: bool) -> None:
    found = problems(value, kind, duplicates=duplicates)
    if found:
        # structured-merge-diff lists several errors on lines of their own.
        text = found[0] if len(found) == 1 else "\n  ".join(["errors:", *found])
        raise Mistyped(prefix + text)


def _atomics(value: Any, kind: Type, path: str) -> Iterator[str]:
    shape = kind.shape(value)
    if isinstance(shape, Map) and is_object(value):
        if shape.atomic:
            yield path
        for name, each in value.items():
            field = shape.field(name) if shape.declares(name) else None
            if field is not None:
                yield from _atomics(each, field, f"{path}.{name}")
    elif isinstance(shape, List) and is_array(value):
        if shape.atomic:
            yield path
        for index, each in enumerate(value):
            yield from _atomics(each, shape.item, f"{path}[{index}]")
