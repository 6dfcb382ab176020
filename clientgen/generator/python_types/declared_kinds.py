"""Which classes are kinds of an API, and how each is served: put together from its markers.

A kind is a class with `+genclient` or with a marker of kubebuilder's that only kinds have, or one
that has apiVersion, kind and metadata. A `CustomResource` whose name begins with an underscore is
none. What is said in two ways must agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args, get_origin

from clientgen._gvk import GroupVersion, GroupVersionKind, GroupVersionResource
from clientgen._problems import Problems
from clientgen.generator.api_words import GROUP, KIND, PLURAL, VERSION
from clientgen.generator.genclient import Tag
from clientgen.generator.kubebuilder.kubebuilder_markers import parse_markers as parse_kubebuilder
from clientgen.generator.plurals import plural_of
from clientgen.generator.python_types.class_markers import (
    ClassMarkers,
    genclient_lines,
    markers_of_class,
    markers_of_module,
)
from clientgen.generator.python_types.class_records import ApiKind, TypeClass, TypeField, TypeModule
from clientgen.runtime._models.custom_resource import CustomResource
from clientgen.runtime._models.meta_v1 import ModelList, ObjectMeta
from clientgen.runtime._models.model_info import bare

_EXAMPLE = "apps.example.com/v1"
_TYPE_META = ("apiVersion", "kind", "metadata")


def kinds(modules: Iterable[TypeModule], problems: Problems) -> tuple[ApiKind, ...]:
    """The kinds of some modules, sorted by group, version and kind.

    Args:
        modules: as `read_module` read them.
        problems: takes what is wrong: markers that are unknown, misplaced or contradict each other
            or the class, classes that lack what a kind has, and kinds that are there twice.
    """
    api_kinds: list[ApiKind] = []
    for module in modules:
        of_module = markers_of_module(module, problems)
        for type_ in module.classes:
            markers = markers_of_class(type_, problems)
            _check_fields(type_, problems)
            kind = _Kind(module, type_, of_module, markers, problems).read()
            if kind:
                api_kinds.append(kind)
    _check_distinct(api_kinds, problems)
    return tuple(sorted(api_kinds, key=lambda kind: (kind.gvk, kind.type.where)))


def module_group_version(module: TypeModule) -> GroupVersion | None:
    """The group version a module says at its top, if it says both."""
    markers = markers_of_module(module, Problems())
    group, version = markers.genclient.group_name, markers.value("versionName")
    return GroupVersion(group, version) if group is not None and version else None


def _check_fields(type_: TypeClass, problems: Problems) -> None:
    """Unknown markers of fields are wrong in every command; here their values do not matter."""
    for field in type_.fields:
        parse_kubebuilder(field.markers, problems, "field")
        for line in genclient_lines(field.markers):
            what = f"`{line.text}` is above the field `{field.attribute}`"
            problems.add(line.where, what, "it applies to a kind: put it above the class")


@dataclass(frozen=True, slots=True)
class _Kind:
    """One class on its way to a kind."""

    module: TypeModule
    type: TypeClass
    of_module: ClassMarkers
    markers: ClassMarkers
    problems: Problems

    def read(self) -> ApiKind | None:
        """The kind; None if the class is none, or cannot be told."""
        if issubclass(self.type.cls, ModelList):
            return None
        if not self._is_kind():
            self._refuse_markers()
            return None
        if "." in self.type.name:
            hint = "put it at the top level of the module"
            self._wrong(f"the kind `{self.type.name}` is inside another class", hint)
            return None
        self._check_metadata()
        group_version = self._group_version()
        self._check_kind()
        namespaced, plural = self._namespaced(), self._plural()
        list_class = self._list_class(group_version)
        if group_version is None:
            return None
        name = self._name
        return ApiKind(
            group=group_version.group,
            version=group_version.version,
            kind=name,
            list_kind=list_class or f"{name}List",
            plural=plural,
            singular=self.markers.argument("resource", "singular") or name.lower(),
            namespaced=namespaced,
            status="subresource:status" in self.markers.kubebuilder,
            scale="subresource:scale" in self.markers.kubebuilder,
            type=self.type,
            module=self.module,
            list_class=list_class,
            selectable_fields=self.markers.selectable_fields,
        )

    @property
    def _name(self) -> str:
        """The name of the kind: that of the class, unless the class statement says another."""
        field = self.type.field("kind") if self._is_own else None
        return _constant(field) if field else self.type.name

    @property
    def _is_own(self) -> bool:
        return issubclass(self.type.cls, CustomResource)

    def _is_kind(self) -> bool:
        if self._is_own and self.type.name.startswith("_"):
            return False
        has_type_meta = all(self.type.field(name) for name in _TYPE_META)
        return self.markers.is_kind or has_type_meta

    def _refuse_markers(self) -> None:
        hint = f"put it above a kind, or mark this class as one: `+{Tag.GENCLIENT}`"
        if self._is_own:
            hint = "a class whose name begins with an underscore is a base class: rename it"
        for tag, where in self.markers.genclient.places.items():
            what = f"`+{tag}` is above `{self.type.name}`, which is not a kind"
            self.problems.add(where, what, hint)

    def _wrong(self, what: str, hint: str, field: TypeField | None = None) -> None:
        self.problems.add(field.where if field else self.type.where, what, hint)

    def _check_metadata(self) -> None:
        field = self.type.field("metadata")
        line = "write `metadata: ObjectMeta = auto(ObjectMeta)`"
        if field is None:
            self._wrong(f"the kind `{self.type.name}` has no `metadata`", line)
        elif bare(field.annotation) is not ObjectMeta:
            line = "remove it: `CustomResource` has it" if self._is_own else line
            self._wrong(f"`{self.type.name}.{field.attribute}` is not an ObjectMeta", line, field)

    def _check_kind(self) -> None:
        name = self._name
        line = f'write `kind: Literal["{name}"] = constant("{name}")`'
        field = self.type.field("kind")
        if not _is_kind(name):
            self._wrong(
                f"`{name}` cannot be the name of a kind",
                "use only the letters A-Z and a-z and digits",
            )
        if field is None:
            self._wrong(f"the kind `{name}` has no `kind`", line)
        elif _constant(field) != name:
            constant = _constant(field)
            is_ = f"is `{constant}`" if constant else "is not the name of the class"
            self._wrong(f"the `{field.attribute}` of the class `{name}` {is_}", line, field)

    def _group_version(self) -> GroupVersion | None:
        """The group version of the field apiVersion, held against the markers."""
        marked = self._marked()
        example = marked.api_version if marked else "example.com/v1"
        line = (
            f'write `api_version: Literal["{example}"] = constant("{example}", name="apiVersion")`'
        )
        field = self.type.field("apiVersion")
        if field is None:
            self._wrong(f"the kind `{self.type.name}` has no `apiVersion`", line)
            return marked
        constant = _constant(field)
        if not constant:
            what = f"`{self.type.name}.{field.attribute}` does not declare the group and version"
            self._wrong(what, line, field)
            return marked
        if not _is_api_version(constant):
            what = f"`{constant}` is not a group and version"
            example = 'group="apps.example.com", version="v1"' if self._is_own else _EXAMPLE
            self._wrong(what, f"write it like `{example}`", field)
        self._check_markers(field, GroupVersion.parse(constant))
        return GroupVersion.parse(constant)

    def _marked(self) -> GroupVersion | None:
        group, version = self._group()[0], self.of_module.value("versionName")
        return GroupVersion(group, version) if group is not None and version else None

    def _group(self) -> tuple[str | None, str]:
        """The group the markers say, and where they do; what stands above the class counts."""
        for markers in (self.markers, self.of_module):
            if markers.genclient.group_name is not None:
                return markers.genclient.group_name, markers.genclient.where(Tag.GROUP_NAME)
        return None, ""

    def _check_markers(self, field: TypeField, group_version: GroupVersion) -> None:
        group, where = self._group()
        version = self.of_module.value("versionName")
        pairs = (
            ("groupName", group, group_version.group, where),
            ("versionName", version, group_version.version, self.of_module.where("versionName")),
        )
        for tag, marked, declared, place in pairs:
            if marked not in (None, declared):
                what = (
                    f"`{self.type.name}` is of `{group_version}`; the marker says `+{tag}={marked}`"
                )
                self._wrong(what, f"make them agree; the marker is at {place}", field)

    def _namespaced(self) -> bool:
        scope = self.markers.argument("resource", "scope")
        if self.markers.genclient.non_namespaced and scope == "Namespaced":
            where = self.markers.genclient.where(Tag.NON_NAMESPACED)
            what = f"`+{Tag.NON_NAMESPACED}` contradicts `scope=Namespaced`"
            self.problems.add(where, what, f"remove one; the other is at {self._resource_place()}")
        return not (self.markers.genclient.non_namespaced or scope == "Cluster")

    def _plural(self) -> str:
        named, path = (
            self.markers.genclient.resource_name,
            self.markers.argument("resource", "path"),
        )
        if named and path and named != path:
            where = self.markers.genclient.where(Tag.RESOURCE_NAME)
            what = f"`+{Tag.RESOURCE_NAME}={named}` contradicts `path={path}`"
            self.problems.add(where, what, f"remove one; the other is at {self._resource_place()}")
        plural = named or path or plural_of(self._name)
        if _is_kind(self._name) and not PLURAL.fits(plural):
            what = f"`{plural}` cannot be a plural: it is part of URLs"
            self.problems.add(
                self._resource_place() or self.type.where,
                what,
                "write it like `widgets`: lower-case letters, digits and dashes",
            )
        return plural

    def _resource_place(self) -> str:
        return self.markers.where("resource")

    def _list_class(self, group_version: GroupVersion | None) -> str | None:
        """The list class the user wrote for it, if it says what it is."""
        for type_ in self.module.classes:
            if not self._is_list(type_):
                continue
            if group_version:
                self._check_list(type_, "apiVersion", group_version.api_version)
            self._check_list(type_, "kind", type_.name)
            return type_.name
        usual = f"{self._name}List"
        for type_ in self.module.classes:
            if type_.name == usual:
                what = f"`{usual}` has the name of a list of `{self.type.name}`, but is not one"
                hint = f"write `class {usual}(ModelList[{self.type.name}])`, or rename it"
                self.problems.add(type_.where, what, hint)
        return None

    def _is_list(self, type_: TypeClass) -> bool:
        items = type_.field("items")
        listed = get_args(items.annotation) if items else ()
        return issubclass(type_.cls, ModelList) and listed == (self.type.cls,)

    def _check_list(self, type_: TypeClass, wire_name: str, value: str) -> None:
        field = type_.field(wire_name)
        if field is not None and _constant(field) == value:
            return
        name = ', name="apiVersion"' if wire_name == "apiVersion" else ""
        attribute = "api_version" if name else "kind"
        line = f'write `{attribute}: Literal["{value}"] = constant("{value}"{name})`'
        what = f"the list `{type_.name}` does not declare that its `{wire_name}` is `{value}`"
        self.problems.add((field or type_).where, what, line)


def _is_kind(name: str) -> bool:
    return KIND.fits(name) and name.isalnum()


def _is_api_version(text: str) -> bool:
    version = GroupVersion.parse(text)
    has_group = bool(version.group) or "/" not in text
    return has_group and GROUP.fits(version.group) and VERSION.fits(version.version)


def _constant(field: TypeField) -> str:
    """The one value a field can have and has by itself; "" if there is no such value."""
    annotation = bare(field.annotation)
    values = get_args(annotation) if get_origin(annotation) is Literal else ()
    default = field.default
    return default if isinstance(default, str) and values == (default,) else ""


def _check_distinct(api_kinds: Sequence[ApiKind], problems: Problems) -> None:
    named: dict[GroupVersionKind, ApiKind] = {}
    served: dict[GroupVersionResource, ApiKind] = {}
    for kind in sorted(api_kinds, key=lambda kind: kind.module.name):
        first = named.setdefault(kind.gvk, kind)
        what = f"the kind `{kind.kind}`"
        if first is kind:
            endpoint = GroupVersionResource(kind.group, kind.version, kind.plural)
            first = served.setdefault(endpoint, kind)
            what = f"the plural `{kind.plural}`"
        if first is not kind:
            problems.add(
                kind.type.where,
                f"{what} of {kind.group_version} is used twice",
                f"rename one; the first is at {first.type.where}",
            )
