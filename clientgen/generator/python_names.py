"""Every Python name is decided here and nowhere else.

Pure functions from API names to Python names. Classes keep the API's own spelling; attributes are
snake_case; whatever Python reserves gets a trailing underscore.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from clientgen._gvk import GroupVersion

# `V1` and its like stay together, as do plural acronyms such as IPs and CIDRs.
_WORD = re.compile(
    r"[A-Z]+s(?![a-z])"
    r"|V\d+(?:(?:alpha|beta)\d+)?"
    r"|[A-Z]+(?=V\d)"
    r"|[A-Z]+\d*(?=[A-Z][a-z]|$)"
    r"|[A-Z]?[a-z0-9]+"
    r"|[A-Z]+\d*"
)

# Names a class body still needs after the attribute exists: the types annotations are made of, and
# the functions defaults are made with. A field called `int` would turn `int | None` into nonsense.
_NEEDED_IN_CLASS_BODIES = frozenset(
    {"bool", "bytes", "dict", "float", "int", "list", "str", "auto", "constant", "field"}
)

# Names that modules of a package use for something else than a class of the API: built-in types,
# arguments of methods, modules beside them, and attributes before which `auto(Spec)` is evaluated.
_NEEDED_IN_MODULES = frozenset(
    {"bool", "bytes", "dict", "float", "int", "list", "object", "property", "str", "type"}
    | {"classmethod", "getattr", "self", "cls"}
    | {"body", "change", "name", "namespace", "options", "patch", "rest", "scheme"}
    | {"models", "resources", "listers", "clients", "informers", "views"}
    | {"metadata", "spec", "status"}
)

# Names that clients, clientsets and factories need beside methods named after the API.
_NEEDED_IN_CLIENTS = frozenset(("resource", "object", "str"))
_NEEDED_IN_GROUP_VERSIONS = frozenset(("for_resource", "overload", "object", "str", "type"))
_NEEDED_IN_CLIENTSETS = frozenset(
    (
        *("from_config", "delete_collection", "patch_status", "get_or_create"),
        *("access_rules", "can_i", "raw_stream"),
        *("for_resource", "group_versions", "seconds_without_watch", "stop_soon", "wait_for_sync"),
    )
)

# No file can be called so on Windows, whatever its ending is.
_DEVICES = frozenset(
    ("aux", "con", "nul", "prn", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10)))
)

_SUBRESOURCE_METHODS: Mapping[tuple[str, str], str] = {
    ("create", "eviction"): "evict",
    ("create", "binding"): "bind",
    ("update", "finalize"): "finalize",
}


# The modules beside the packages of groups; a group `clientset.example.com` must not hide one.
_MODULES = frozenset(
    (
        "clientset",
        "async_clientset",
        "informer_factory",
        "async_informer_factory",
        "scheme",
        "fields",
    )
)

_NOTHING_CHOSEN: Mapping[str, str] = MappingProxyType({})

# Subresources that are two words without saying so.
_COMPOUNDS = {"ephemeralcontainers": "ephemeral_containers"}


def words(name: str) -> list[str]:
    """Split an API name into lower-case words: `podCIDRs` -> `pod`, `cidrs`."""
    return [word.lower() for word in _WORD.findall(name)]


def _plain(name: str) -> str:
    """The name in letters, digits and underscores."""
    return re.sub(r"\W", "_", name, flags=re.ASCII)


def _safe(name: str, used: Iterable[str] = ()) -> str:
    if keyword.iskeyword(name) or name in used:
        return f"{name}_"
    return name if name.isidentifier() else f"_{name}"


def attribute(wire_name: str) -> str:
    """The attribute for a property: `hostIP` -> `host_ip`, `from` -> `from_`, `$ref` -> `ref`."""
    bare = wire_name.removeprefix("x-").lstrip("$_-")
    parts = words(bare)
    if not parts or parts[0][0].isdigit():
        parts.insert(0, "field")  # `_2fa` would be private to type checkers
    return _safe("_".join(parts), _NEEDED_IN_CLASS_BODIES)


def attributes(wire_names: Iterable[str]) -> dict[str, str]:
    """An attribute per property of an object: of `fooBar` and `foo_bar` the second gets a number.

    Properties are taken in order of their names, so that the order of a document does not matter;
    but those spelt as the API's conventions want it go first, so that `spec` is not `Spec`'s.
    """
    names: dict[str, str] = {}
    used: set[str] = set()
    numbers: dict[str, int] = {}
    for wire_name in sorted(wire_names, key=lambda n: (_conventional(attribute(n)) != n, n)):
        name = wanted = attribute(wire_name)
        number = numbers.get(wanted, 1)
        while name in used:
            number += 1
            name = f"{wanted.rstrip('_')}_{number}"
        numbers[wanted] = number
        used.add(name)
        names[wire_name] = name
    return names


def camel(attribute_name: str) -> str:
    """The wire name the models' rename rule gives an attribute; others are written out.

    The rule is msgspec's: it takes `k8s` for two words, `enableK8STokenAuth`.
    """
    if attribute_name.startswith("_"):
        return attribute_name  # msgspec keeps underscores in front
    first, *rest = attribute_name.split("_")
    return first + "".join(part.title() for part in rest)


def _conventional(attribute_name: str) -> str:
    """The wire name that the API's conventions want for an attribute: `enableK8sTokenAuth`."""
    first, *rest = attribute_name.split("_")
    return first + "".join(part[:1].upper() + part[1:] for part in rest)


@dataclass(frozen=True, slots=True)
class ChosenNames:
    """Names of the user's choice, which stand above the rules."""

    # By group version and the API's name.
    classes: Mapping[tuple[GroupVersion, str], str] = field(
        default_factory=dict[tuple[GroupVersion, str], str]
    )
    # Packages of groups.
    packages: Mapping[str, str] = field(default_factory=dict[str, str])

    def class_name(self, group_version: GroupVersion, kind: str) -> str:
        """The class of a kind or of another type of a group version."""
        return self.classes.get((group_version, kind)) or class_name(kind)


def class_name(kind: str) -> str:
    """The class of a kind: its own name, made an identifier."""
    return _safe(_plain(kind), _NEEDED_IN_MODULES)


def manifest_class(class_: str) -> str:
    """The `TypedDict` of the manifests that a class of models reads: `Pod` -> `PodManifest`."""
    return f"{class_}Manifest"


def subresource_accessor(subresource: str) -> str:
    """The accessor of a subresource: `status`, `ephemeral_containers`."""
    return _COMPOUNDS.get(subresource) or _method("_".join(words(subresource)))


def method_name(verb: str, subresource: str = "") -> str:
    """The method of an irregular subresource: `create` on `token` -> `create_token`."""
    standard = _SUBRESOURCE_METHODS.get((verb, subresource))
    return standard or _method("_".join(words(verb) + words(subresource)))


def marked_method_name(name: str) -> str:
    """The method that a marker names: `ExtendScale` -> `extend_scale`."""
    return _method("_".join(words(name)))


def _method(name: str) -> str:
    return _safe(name, _NEEDED_IN_CLIENTS)


def resource_accessor(kind: str, plural: str) -> str:
    """The accessor of a resource: its plural, with underscores where the Kind has words.

    `PersistentVolumeClaim`, `persistentvolumeclaims` -> `persistent_volume_claims`. A plural that
    does not start as the Kind does is kept as it is.
    """
    *head, _last = words(kind) or [""]
    start = "".join(head)
    if head and plural.startswith(start) and len(plural) > len(start):
        spoken = "_".join([*head, plural.removeprefix(start)])
        return _safe(_plain(spoken), _NEEDED_IN_GROUP_VERSIONS)
    return _safe(_plain(plural), _NEEDED_IN_GROUP_VERSIONS)


def resource_constant(accessor: str) -> str:
    """The module constant that describes a resource."""
    return accessor.rstrip("_").upper()


def version_module(version: str) -> str:
    """The package of a version: `v1`, `v1beta1`."""
    return _safe(_plain(version.lower()), _DEVICES)


def group_packages(
    groups: Iterable[str], chosen: Mapping[str, str] = _NOTHING_CHOSEN
) -> dict[str, str]:
    """A package name per group: the first label, more labels where two groups share it.

    `apps` -> `apps`, `rbac.authorization.k8s.io` -> `rbac`, the core group -> `core`. The name
    that was chosen for a group is its only label, so that others give way to it.
    """
    labels = {
        group: [chosen[group]] if group in chosen else (group or "core").split(".")
        for group in sorted(set(groups))
    }
    lengths = dict.fromkeys(labels, 1)
    while clashes := _clashes(labels, lengths):
        for group in clashes:
            lengths[group] = min(lengths[group] + 1, len(labels[group]))
    return {group: _package(labels[group][: lengths[group]]) for group in labels}


def _clashes(labels: Mapping[str, list[str]], lengths: Mapping[str, int]) -> list[str]:
    """The groups whose package is another's too and that have labels left to tell them apart."""
    by_name: dict[str, list[str]] = {}
    for group, parts in labels.items():
        by_name.setdefault(_package(parts[: lengths[group]]), []).append(group)
    shared = [group for groups in by_name.values() if len(groups) > 1 for group in groups]
    return [group for group in shared if lengths[group] < len(labels[group])]


def _package(labels: list[str]) -> str:
    return _safe("_".join(_plain(label.lower()) for label in labels), _MODULES | _DEVICES)


def group_version_accessor(package: str, version: GroupVersion) -> str:
    """The clientset's attribute for a group version: `core_v1`, `rbac_v1`."""
    name = f"{package.rstrip('_')}_{version_module(version.version).rstrip('_')}"
    return _safe(name, _NEEDED_IN_CLIENTSETS)


def group_version_class(package: str, version: GroupVersion) -> str:
    """Return the prefix of the classes of a group version: `CoreV1`, `RbacV1`."""
    name = group_version_accessor(package, version)
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))
