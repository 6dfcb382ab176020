"""The state of a cluster, without parts that differ from run to run: times, uids, versions, names.

`random_texts` finds other random texts.
"""

from __future__ import annotations

import re
from base64 import b64decode
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeGuard

from msgspec import json

from clientgen._json import is_object

from .random_texts import without_random

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from .._apiserver.storage.store import Record, Store

TOUCHED: Final = "explore.clientgen.dev/touched"
"""The annotation that the other client writes."""
UNJUDGED: Final = frozenset(
    {
        "events",
        "events.events.k8s.io",
        "leases.coordination.k8s.io",
        "ipaddresses.networking.k8s.io",
        "controllerrevisions.apps",
    }
)
"""Collections that are not compared: written all the time, by the server, or as a history."""

State: TypeAlias = "dict[str, list[str]]"
"""Objects as JSON, by resource, namespace and name. Objects may share a generated name."""

_RANDOM_METADATA: Final = (
    "uid", "resourceVersion", "creationTimestamp", "managedFields", "selfLink", "generation",
)  # fmt: skip
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?")
_MIN_TIME_LENGTH: Final = len("2026-01-01T00:00:00Z")
_ALLOCATED_FIELDS: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "services": {"spec": ("clusterIP", "clusterIPs", "healthCheckNodePort")},
    "persistentvolumeclaims": {"spec": ("volumeName",)},
    "pods": {"status": ("podIP", "podIPs")},
}
# Counters of rollouts of a Deployment: they depend on the intermediate states.
_REVISION_ANNOTATIONS: Final = (
    "deployment.kubernetes.io/revision", "deployment.kubernetes.io/revision-history",
)  # fmt: skip


def state_of(store: Store, known: Mapping[str, int], ignore: Iterable[str] = ()) -> State:
    """Return the objects that are not in `known`, in a form that can be compared."""
    ignored = tuple(ignore)
    records = [
        (each.name, record)
        for each in store.collections()
        if each.name not in UNJUDGED
        for record in each.now()
        if known.get(f"{each.name} {record.key}") != record.version
        and not (each.name == "replicasets.apps" and _is_history(record))
    ]
    names = _Names(records)
    state: State = {}
    for resource, record in records:
        title = names.title(resource, record)
        if any(_matches(title, pattern) for pattern in ignored if ":" not in pattern):
            continue
        value = _comparable_object(resource, record, names)
        for pattern in ignored:
            about, colon, path = pattern.partition(":")
            if colon and (fnmatchcase(resource, about) or _matches(title, about)):
                _remove_field(value, path.split("."))
        state.setdefault(title, []).append(json.encode(value, order="sorted").decode())
    for values in state.values():
        values.sort()
    return state


def _is_history(record: Record) -> bool:
    """Whether a ReplicaSet is an old revision of a Deployment."""
    value = record.value()
    owners = value["metadata"].get("ownerReferences") or ()
    is_owned = any(each.get("kind") == "Deployment" for each in owners)
    return is_owned and value["spec"].get("replicas") == 0


def _matches(title: str, pattern: str) -> bool:
    """Whether a pattern matches an object. Patterns may be copied from a report."""
    return fnmatchcase(title, pattern) or fnmatchcase(without_random(title), pattern)


class _Names:
    """Replaces uids and generated names with stable texts."""

    def __init__(self, records: list[tuple[str, Record]]) -> None:
        self._generated: dict[str, str] = {}
        self._uids: dict[str, str] = {}
        for _, record in records:
            if b'"generateName"' in record.data:
                base = record.value()["metadata"].get("generateName")
                if base and record.name.startswith(base):
                    self._generated[record.name] = f"{base}*"
        words = sorted(self._generated, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, words))) if words else None
        for resource, record in records:
            self._uids[record.uid] = f"<uid of {self.title(resource, record)}>"

    def title(self, resource: str, record: Record) -> str:
        name = self.text(record.name)
        return f"{resource} {record.namespace}/{name}" if record.namespace else f"{resource} {name}"

    def text(self, text: str) -> str:
        if text in self._uids:
            return self._uids[text]
        if self._pattern is not None:
            text = self._pattern.sub(lambda match: self._generated[match[0]], text)
        return _plain_text(text) if len(text) >= _MIN_TIME_LENGTH else text


def _comparable_object(resource: str, record: Record, names: _Names) -> dict[str, Any]:
    value = record.value()
    metadata = value["metadata"]
    generation = metadata.get("generation")
    for name in _RANDOM_METADATA:
        metadata.pop(name, None)
    annotations = metadata.get("annotations")
    if annotations is not None:
        for name in (TOUCHED, *_REVISION_ANNOTATIONS):
            annotations.pop(name, None)
        if not annotations:
            del metadata["annotations"]
    if metadata.get("generateName"):
        del metadata["name"]
    for part, allocated in _ALLOCATED_FIELDS.get(resource, {}).items():
        for name in allocated if isinstance(value.get(part), dict) else ():
            value[part].pop(name, None)
    if resource == "secrets" and isinstance(value.get("data"), dict):
        value["data"] = {key: _decode_secret(part) for key, part in value["data"].items()}
    normalised: dict[str, Any] = plain_value(value, names.text, generation)
    return normalised


def _decode_secret(text: str) -> str:
    """Decode a value of a Secret, to find random texts in it; binary values stay encoded."""
    try:
        return b64decode(text).decode()
    except ValueError:
        return text


def plain_value(
    value: Any, text: Callable[[str], str] | None = None, generation: Any = None
) -> Any:
    """Return a JSON value without times, and with sorted lists."""
    if is_object(value):
        return _plain_dict(value, text, generation)
    if _is_list(value):
        parts = [plain_value(part, text, generation) for part in value]
        return sorted(parts, key=_sort_key)
    if value is None or isinstance(value, (bool, int, float)):
        return value
    return (text or _plain_text)(value if isinstance(value, str) else repr(value))


def _plain_dict(value: dict[Any, Any], text: Callable[[str], str] | None, generation: Any) -> Any:
    plain: dict[Any, Any] = {}
    for name, part in value.items():
        if name == "resourceVersion":  # of a referenced object
            continue
        if name == "observedGeneration" and generation is not None:
            plain[name] = "current" if part == generation else "old"
        else:
            plain[plain_value(name, text)] = plain_value(part, text, generation)
    return plain


def _plain_text(text: str) -> str:
    return _TIME.sub("<time>", text)


def _sort_key(value: Any) -> bytes:
    return json.encode(value, order="sorted")


def public_fields(value: object) -> dict[str, Any]:
    """Return the public attributes of an object."""
    return {name: getattr(value, name) for name in sorted(vars(value)) if not name.startswith("_")}


def _remove_field(value: Any, path: list[str]) -> None:
    """Remove a field; `*` stands for every key and item."""
    first, *rest = path
    if _is_list(value):
        for each in value:
            _remove_field(each, path if first != "*" else rest or ["*"])
    elif is_object(value):
        for name in [name for name in value if fnmatchcase(name, first)]:
            if rest:
                _remove_field(value[name], rest)
            else:
                del value[name]


def difference(expected: State, got: State) -> list[str]:
    """List in lines which objects are missing, unexpected or different."""
    lines: list[str] = []
    for title in sorted({*expected, *got}):
        want, have = expected.get(title, []), got.get(title, [])
        if want == have:
            continue
        if len(want) != len(have):
            lines.append(_count_difference(title, len(want), len(have)))
        else:
            missing = [each for each in want if each not in have]
            extra = [each for each in have if each not in want]
            for one, other in zip(missing, extra, strict=False):
                lines += [
                    f"{title}: {line}"
                    for line in _field_differences(json.decode(one), json.decode(other))
                ]
    return lines


def _count_difference(title: str, want: int, have: int) -> str:
    if not have:
        return f"{title} is missing"
    if not want:
        return f"{title} should not exist" + (f" ({have} times)" if have > 1 else "")
    return f"{title} exists {have} times, not {want}"


def _is_list(value: Any) -> TypeGuard[list[Any]]:
    """Return whether `value` is a sequence or a set: programs keep their state in any of them."""
    return isinstance(value, (list, tuple, set, frozenset))


def _field_differences(want: Any, have: Any, path: str = "") -> Iterator[str]:
    if is_object(want) and is_object(have):
        for name in sorted({*want, *have}):
            one, other = want.get(name), have.get(name)
            if one != other:
                yield from _field_differences(one, other, f"{path}.{name}" if path else name)
    elif _is_list(want) and _is_list(have) and len(want) == len(have):
        for index, (one, other) in enumerate(zip(want, have, strict=True)):
            if one != other:
                yield from _field_differences(one, other, f"{path}[{index}]")
    else:
        yield f"{path} is {_shortened(have)}, not {_shortened(want)}"


def _shortened(value: Any) -> str:
    text = json.encode(value, order="sorted").decode()
    return text if len(text) <= 200 else f"{text[:200]}..."  # noqa: PLR2004
