"""Reports the differences between two packages in few lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from clientgen._gvk import GroupVersion
from clientgen.generator.drift.contents import Contents, Field, Type

_EMPTY = Contents({}, {})
_MAX_LINES = 40
_MAX_NAMES = 6


def changes(before: Mapping[str, Contents], after: Mapping[str, Contents]) -> list[str]:
    """The lines: kinds that come and go, then what is there and has changed, then other types."""
    kinds: list[str] = []
    changed: list[str] = []
    types: list[str] = []
    for key in sorted(before.keys() | after.keys(), key=GroupVersion.parse):
        old, new = before.get(key, _EMPTY), after.get(key, _EMPTY)
        home = key if "/" in key else f"core/{key}"
        kinds += _come_and_gone("kind", home, _kinds(old), _kinds(new))
        changed += _changed(home, old, new)
        types += _come_and_gone("type", home, _types(old), _types(new), listed=True)
    return [*_bounded(kinds), *_bounded(changed), *_bounded(types)]


def _kinds(of: Contents) -> set[str]:
    return {name for name, type_ in of.types.items() if type_.is_kind} | of.calls.keys()


def _types(of: Contents) -> set[str]:
    """The types that are no kinds, and no lists of them."""
    kinds = _kinds(of)
    lists = {f"{kind}List" for kind in kinds}
    return of.types.keys() - kinds - lists


def _come_and_gone(
    what: str, home: str, old: set[str], new: set[str], *, listed: bool = False
) -> Iterator[str]:
    for sign, names in (("+", sorted(new - old)), ("-", sorted(old - new))):
        if listed and names:
            many = f"{len(names)} {what}s" if len(names) > 1 else what
            yield f"{sign} {many} {home} {_few(names)}"
        elif not listed:
            yield from (f"{sign} {what} {home} {name}" for name in names)


def _changed(home: str, old: Contents, new: Contents) -> Iterator[str]:
    for name in sorted((old.types.keys() & new.types.keys()) | (old.calls.keys() & new.calls)):
        parts = [
            *_scope_changes(old.namespaced.get(name), new.namespaced.get(name)),
            *_field_changes(old.types.get(name, Type()), new.types.get(name, Type())),
            *_call_changes(old.calls.get(name), new.calls.get(name)),
        ]
        if parts:
            yield f"~ {home} {name}: {', '.join(parts)}"
    parts = [*_client_changes(old, new)]
    if parts:
        yield f"~ {home}: {', '.join(parts)}"


def _scope_changes(old: bool | None, new: bool | None) -> Iterator[str]:
    if old is None or new is None or old == new:
        return
    scopes = ("Namespaced", "Cluster") if old else ("Cluster", "Namespaced")
    yield f"scope is {scopes[1]} instead of {scopes[0]}"


def _client_changes(old: Contents, new: Contents) -> Iterator[str]:
    """Yield the clients of resources that have another name, unless their kinds come or go."""
    if old.clients and _kinds(old) == _kinds(new):
        yield from _counted("client", sorted(new.clients - old.clients), "added")
        yield from _counted("client", sorted(old.clients - new.clients), "removed")


def _field_changes(old: Type, new: Type) -> Iterator[str]:
    added = sorted(new.fields.keys() - old.fields)
    required = [name for name in added if new.fields[name].required]
    yield from _counted("field", [name for name in added if name not in required], "added")
    yield from _counted("field", required, "added that must be given")
    yield from _counted("field", sorted(old.fields.keys() - new.fields), "removed")
    both = sorted(old.fields.keys() & new.fields)
    differing = [_differing(name, old.fields[name], new.fields[name]) for name in both]
    yield from _few_of(
        [differences for differences in differing if differences], "other fields changed"
    )


def _differing(name: str, old: Field, new: Field) -> str:
    if old.type != new.type:
        return f"field {name} is `{new.type}` instead of `{old.type}`"
    if old.required != new.required:
        return f"field {name} {'has to be given now' if new.required else 'may be left out now'}"
    return ""


def _call_changes(old: frozenset[str] | None, new: frozenset[str] | None) -> Iterator[str]:
    """Yield the added and removed verbs of a kind; None counts as no verbs."""
    before, after = old or frozenset[str](), new or frozenset[str]()
    yield from _counted("verb", sorted(after - before), "added")
    yield from _counted("verb", sorted(before - after), "removed")


def _counted(what: str, names: Sequence[str], happened: str) -> Iterator[str]:
    if names:
        yield f"{what}{'s' if len(names) > 1 else ''} {_few(names)} {happened}"


def _few(names: Sequence[str]) -> str:
    return ", ".join(_few_of(names, "more"))


def _few_of(texts: Sequence[str], what: str) -> Iterator[str]:
    yield from texts[:_MAX_NAMES]
    if len(texts) > _MAX_NAMES:
        yield f"and {len(texts) - _MAX_NAMES} {what}"


def _bounded(lines: Iterable[str]) -> Iterator[str]:
    every = list(lines)
    yield from every[:_MAX_LINES]
    if len(every) > _MAX_LINES:
        yield f"... and {len(every) - _MAX_LINES} more"
