"""What differs between two releases, and where the project speaks of what is gone."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from clientgen.testing._apiserver.served_resources import Resource
    from clientgen.testing._apiserver.served_spec import Spec

__all__ = ["changes", "mentions", "unknown_definitions", "verb_differences"]

_PREFIXES: Final = ("io.k8s.api.", "io.k8s.kube-aggregator.pkg.apis.")
_META: Final = "io.k8s.apimachinery."
_META_MODELS: Final = "clientgen/runtime/_models/meta_v1.py"
_DEFINITION: Final = re.compile(r'"([a-z]+\.v\d\w*\.[A-Z]\w+)"')
_SHOWN: Final = 6
_HANDLER: Final = "clientgen/testing/_apiserver"
_SEARCHED: Final = (
    _HANDLER,
    "clientgen/_apimachinery",
    "clientgen/_apiextensions",
    "tests/testing",
)
_NEW: Final = (
    f"its strategy (generation, status, validation, defaults) and table columns in {_HANDLER}, "
    "rows in tests/testing/writes recorded from a server"
)


@dataclass(frozen=True, slots=True)
class _Served:
    """What one release serves under a plural of a group."""

    kind: str
    versions: Mapping[str, Resource]


def changes(old: Spec, new: Spec, root: Path) -> Iterator[str]:
    """One line for each resource and definition that is gone, new, or has other verbs."""
    before, after = _served(old), _served(new)
    for name in sorted(before.keys() - after.keys()):
        words = (f'"{name.partition(".")[0]}"', rf"\b{before[name].kind}\b")
        yield f"gone: {name} ({before[name].kind}){_listed(mentions(root, words))}"
    for name in sorted(after.keys() - before.keys()):
        kind, versions = after[name].kind, ", ".join(after[name].versions)
        yield f"new: {name} ({kind}; {versions}): {_NEW}"
    for group in sorted(_groups(new) - _groups(old)):
        yield f"new group: {group}: its priority among the APIServices in {_HANDLER}"
    for name in sorted(before.keys() & after.keys()):
        yield from _version_changes(name, before[name], after[name])
    yield from _definition_changes(old.document, new.document, root)


def _served(spec: Spec) -> dict[str, _Served]:
    served: dict[str, _Served] = {}
    for resource in spec.resources:
        known = served.get(resource.group_resource)
        versions = {**(known.versions if known else {}), resource.version: resource}
        served[resource.group_resource] = _Served(resource.kind, versions)
    return served


def _groups(spec: Spec) -> set[str]:
    return {resource.group for resource in spec.resources}


def _version_changes(name: str, old: _Served, new: _Served) -> Iterator[str]:
    for version in sorted(old.versions.keys() ^ new.versions.keys()):
        event = "no longer served" if version in old.versions else "newly served"
        yield f"{event}: {version} of {name}: conversions and stored version in {_HANDLER}"
    for version in sorted(old.versions.keys() & new.versions.keys()):
        before, after = _verbs(old.versions[version]), _verbs(new.versions[version])
        for part in sorted(before.keys() | after.keys()):
            if before.get(part) != after.get(part):
                was, now = before.get(part, "not served"), after.get(part, "not served")
                yield f"verbs of {version} {name}{part}: {was} -> {now}: {_HANDLER}, its strategy"


def _verbs(resource: Resource) -> dict[str, str]:
    parts = {f"/{name}": part.verbs for name, part in resource.subresources.items()}
    everything = {"": resource.verbs, **parts}
    return {name: " ".join(sorted(verbs)) for name, verbs in everything.items()}


def _definition_changes(
    old: Mapping[str, Any], new: Mapping[str, Any], root: Path
) -> Iterator[str]:
    before, after = old["definitions"], new["definitions"]
    for name in sorted(before.keys() - after.keys()):
        if places := mentions(root, (re.escape(f'"{_short(name)}"'),)):
            yield f"definition gone: {_short(name)}{_listed(places)}"
    for name in sorted(before.keys() ^ after.keys()):
        if name.startswith(_META):
            event = "gone" if name in before else "new"
            yield f"definition {event}: {_short(name)}: {_META_MODELS}"
    for name in sorted(before.keys() & after.keys()):
        place = _META_MODELS if name.startswith(_META) else "its defaults and validation"
        was, now = (set(each[name].get("properties", {})) for each in (before, after))
        for event, names in (("gone", was - now), ("new", now - was)):
            if names:
                fields = ", ".join(sorted(names))
                yield f"fields {event} in {_short(name)}: {fields}: {place}"


def _short(name: str) -> str:
    prefix = next((each for each in _PREFIXES if name.startswith(each)), "")
    return name.removeprefix(prefix)


def unknown_definitions(document: Mapping[str, Any], root: Path) -> Iterator[str]:
    """One line for each definition that the test server's code names and the document lacks."""
    known = {_short(name) for name in document["definitions"]}
    for path in sorted((root / _HANDLER).rglob("*.py")):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            for name in _DEFINITION.findall(line):
                if name not in known:
                    yield f"unknown definition {name}: {path.relative_to(root)}:{number}"


def verb_differences(
    new: Spec, answered: Mapping[tuple[str, str, str], frozenset[str]]
) -> Iterator[str]:
    """One line for each resource whose verbs discovery tells otherwise than the document."""
    for resource in new.resources:
        key = (resource.group, resource.version, resource.plural)
        expected = answered.get(key, resource.verbs)
        if expected != resource.verbs:
            name, verbs = "/".join(key), " ".join(sorted(resource.verbs ^ expected))
            yield f"verbs of {name}: discovery and document differ in {verbs}: {_HANDLER}/spec.py"


def mentions(root: Path, patterns: Sequence[str], searched: Sequence[str] = _SEARCHED) -> list[str]:
    """The places, `file:line`, where a pattern matches: of the test server and its tests."""
    expressions = [part for pattern in patterns for part in ("-e", pattern)]
    command = ["git", "grep", "-nP", *expressions, "--", *searched]
    answer = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)  # noqa: S603
    return [":".join(line.split(":")[:2]) for line in answer.stdout.splitlines()]


def _listed(places: Sequence[str]) -> str:
    more = f", and {len(places) - _SHOWN} more" if len(places) > _SHOWN else ""
    return f": {', '.join(places[:_SHOWN])}{more}" if places else ": nothing names it"
