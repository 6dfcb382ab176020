"""The table of one package, value by value; what makes no sense is a problem with its place."""

from __future__ import annotations

import keyword
import re
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, cast, get_args

from clientgen._json import is_object
from clientgen._problems import did_you_mean
from clientgen.generator.config_records import (
    ClusterSource,
    Distribution,
    Inlined,
    PackageConfig,
    PlacedText,
    Renames,
    Selection,
    ViewConfig,
)
from clientgen.generator.expansions import Expansion, read_expansion
from clientgen.generator.python_names import class_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from clientgen.generator.config_file import Table

CONTENT_KEYS = (
    "spec",
    "crd",
    "types",
    "crd-output",
    "max-desc-len",
    "header-file",
    "go-types",
    "cluster",
    "descriptions",
    "uses",
    "inlined",
    "output",
    "include",
    "exclude",
    "rename",
    "distribution",
    "markers",
    "expansions",
    "views",
)
_GROUP = r"[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?"
_KIND = re.compile(rf"(?:({_GROUP})/)?([a-z][a-z0-9]*)/([A-Z][A-Za-z0-9]*)")
# A model may be called what no kind may: a type that is defined in place is named after a property.
_CLASS = re.compile(rf"(?:({_GROUP})/)?([a-z][a-z0-9]*)/([A-Za-z_]\w*)", re.ASCII)
# Lower-case names are those of modules and of what a class body needs.
_VIEW = re.compile(r"[A-Z][A-Za-z0-9_]*")
_PATTERN = re.compile(r"[-a-z0-9.*]+(?:/[a-z0-9*]+(?:/[A-Za-z0-9*]+)?)?")
_MODULE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*", re.ASCII)
# Names and versions as packages are published under (PEP 508, PEP 440).
_DISTRIBUTION = re.compile(r"[A-Za-z0-9](?:[-A-Za-z0-9._]*[A-Za-z0-9])?")
_VERSION = re.compile(
    r"(?:\d+!)?\d+(?:\.\d+)*(?:(?:a|b|rc)\d+)?(?:\.post\d+)?(?:\.dev\d+)?(?:\+[a-z0-9]+(?:[-_.][a-z0-9]+)*)?"
)


def read_output(table: Table) -> Path | None:
    """Return the directory of the package, or None if the table does not name it."""
    return _path(table, "output")


def read_package(name: str, table: Table) -> PackageConfig:
    """Read the configuration of a package, except its directory."""
    root = table.place.file.parent
    return PackageConfig(
        package=name,
        output=Path(),
        specs=_paths(table, "spec"),
        markers=_markers(table.table("markers")),
        expansions=_expansions(table.table("expansions")),
        root=root,
        place=table.place,
        crds=_paths(table, "crd"),
        types=_modules(table, "types"),
        crd_output=_path(table, "crd-output"),
        max_desc_len=table.count("max-desc-len"),
        header_file=_path(table, "header-file"),
        go_types=_paths(table, "go-types"),
        cluster=_cluster(table),
        descriptions=_paths(table, "descriptions"),
        uses=_modules(table, "uses"),
        inlined=_inlined(table),
        selection=Selection(_patterns(table, "include"), _patterns(table, "exclude")),
        renames=_renames(table.table("rename")),
        views=_views(table),
        distribution=_distribution(table),
    )


def _path(table: Table, key: str) -> Path | None:
    path = table.text(key)
    return None if path is None else table.place.file.parent / path


def _paths(table: Table, key: str) -> tuple[Path, ...]:
    root = table.place.file.parent
    return tuple(dict.fromkeys(root / entry.text for entry in _listed(table, key)))


def _listed(table: Table, key: str) -> Iterable[PlacedText]:
    """The strings of a list, each with its place; one that says nothing is a problem."""
    texts = table.texts(key)
    place = str(table.place / key)
    alone = isinstance(table.values.get(key), str)
    for n, text in enumerate(texts):
        where = place if alone else f"{place}[{n}]"
        if text.strip():
            yield PlacedText(text, where)
        else:
            table.problems.add(where, "it is empty")


def _modules(table: Table, key: str) -> tuple[str, ...]:
    """Modules by the names they are imported by."""
    modules: dict[str, None] = {}
    for entry in _listed(table, key):
        if _MODULE.fullmatch(entry.text) and not any(
            keyword.iskeyword(part) for part in entry.text.split(".")
        ):
            modules[entry.text] = None
            continue
        what = f"`{entry.text}` is not the name of a module"
        table.problems.add(
            entry.where, what, "write it as in an import statement: `package.module`"
        )
    return tuple(modules)


def _cluster(table: Table) -> ClusterSource | None:
    value = table.values.get("cluster")
    if value is None or isinstance(value, bool):
        return ClusterSource() if value else None
    subtable = table.table("cluster", "true, false or a table")
    subtable.allow_only(("context", "kubeconfig"))
    file = subtable.text("kubeconfig")
    return ClusterSource(subtable.text("context"), table.place.file.parent / file if file else None)


def _inlined(table: Table) -> Inlined:
    value = table.text("inlined")
    allowed = get_args(Inlined)
    if value is None or value in allowed:
        return cast("Inlined", value or "older")
    hint = did_you_mean(value, allowed, f"known are {', '.join(allowed)}")
    table.problems.add(str(table.place / "inlined"), f"`{value}` is not a valid value", hint)
    return "older"


def _patterns(table: Table, key: str) -> tuple[PlacedText, ...]:
    patterns: list[PlacedText] = []
    for entry in _listed(table, key):
        if _PATTERN.fullmatch(entry.text):
            patterns.append(entry)
            continue
        hint = "write `group`, `group/version` or `group/version/Kind`; the core group is `core`"
        if _KIND.fullmatch(entry.text):
            hint = f"the core group is called `core`: `core/{entry.text}`"
        table.problems.add(entry.where, f"`{entry.text}` does not select anything", hint)
    return tuple(patterns)


def _renames(table: Table) -> Renames:
    """Keys with a slash name classes, all others the packages of groups."""
    classes: dict[str, PlacedText] = {}
    groups: dict[str, PlacedText] = {}
    spelled: dict[str, str] = {}
    for key in table.values:
        new_name = _new_name(table, key)
        if not re.fullmatch(_GROUP, key) and not _CLASS.fullmatch(key):
            hint = "write `group/version/Name` for a class, or a group for its package"
            table.problems.add(
                str(table.place / key), "it is not the name of a class or group", hint
            )
            continue
        is_class = "/" in key
        plain = key.removeprefix("core/") if is_class else key if key != "core" else ""
        if spelled.setdefault(plain, key) != key:
            what = f"it refers to the same name as `{spelled[plain]}`"
            table.problems.add(str(table.place / key), what, "keep one of the two")
        elif new_name:
            (classes if is_class else groups)[plain] = new_name
    return Renames(MappingProxyType(classes), MappingProxyType(groups))


def _new_name(table: Table, key: str) -> PlacedText | None:
    where = str(table.place / key)
    if isinstance(table.values[key], dict):
        what = "must be a string, not a table"
        table.problems.add(where, what, "put a name that contains dots in quotes")
        return None
    name = table.text(key)
    if name is None:
        return None
    if not name.isidentifier() or not name.isascii() or keyword.iskeyword(name):
        hint = "letters, digits and `_`, no digit first, not a Python keyword"
        table.problems.add(where, f"`{name}` cannot be a name in Python", hint)
        return None
    if "/" in key and class_name(name) != name:
        what = f"generated modules use `{name}` for something else"
        table.problems.add(where, what, "choose another name")
        return None
    if "/" not in key and name != name.lower():
        table.problems.add(where, f"`{name}` is not a package name", "write it in lower case")
        return None
    return PlacedText(name, where)


def _distribution(table: Table) -> Distribution | None:
    value = table.values.get("distribution")
    if value is None:
        return None
    where = str(table.place / "distribution")
    if isinstance(value, str):
        name, _, version = value.partition("==")
        distribution = Distribution(name.strip(), version.strip() or "0.1.0", where=where)
        return distribution if _is_publishable(distribution, table) else None
    subtable = table.table("distribution")
    subtable.allow_only(("name", "version", "description", "readme", "license", "dependencies"))
    if subtable.values and "name" not in subtable:
        table.problems.add(where, "it has no name", 'add `name = "..."`')
    called = subtable.text("name")
    if called is None:
        return None
    distribution = Distribution(
        name=called,
        version=subtable.text("version") or "0.1.0",
        description=subtable.text("description") or "",
        readme=subtable.text("readme") or "",
        license=subtable.text("license") or "",
        dependencies=subtable.texts("dependencies"),
        where=where,
    )
    return distribution if _is_publishable(distribution, table) else None


def _is_publishable(distribution: Distribution, table: Table) -> bool:
    if not _DISTRIBUTION.fullmatch(distribution.name):
        hint = "letters, digits, `-`, `_` and `.`, a letter or digit at both ends"
        table.problems.add(
            distribution.where, f"`{distribution.name}` cannot be the name of a distribution", hint
        )
        return False
    if not _VERSION.fullmatch(distribution.version):
        what = f"`{distribution.version}` cannot be the version of a distribution"
        table.problems.add(distribution.where, what, "write it like `1.2.0` or `1.2.0rc1`")
        return False
    return True


def _markers(table: Table) -> Mapping[str, tuple[str, ...]]:
    return MappingProxyType({kind: table.texts(key) for kind, key in _kinds(table).items()})


def _expansions(table: Table) -> Mapping[str, Expansion]:
    kinds = _kinds(table)
    return MappingProxyType({kind: read_expansion(table, key) for kind, key in kinds.items()})


def _views(table: Table) -> Mapping[str, ViewConfig]:
    views = table.table("views")
    tables = {name: views.table(name) for name in views.values}
    read = {
        name: _view(name, subtable)
        for name, subtable in tables.items()
        if is_object(views.values[name])
    }
    return MappingProxyType({name: view for name, view in read.items() if view})


def _view(name: str, table: Table) -> ViewConfig | None:
    where, problems = str(table.place), table.problems
    if not _VIEW.fullmatch(name) or keyword.iskeyword(name):
        what = f"`{name}` cannot be the name of a view"
        hint = "write it like a class, `PodPlacement`: a capital, then letters and digits"
        problems.add(where, what, hint)
    table.allow_only(("of", "fields"))
    if "fields" not in table and "of" in table:
        hint = 'add `fields = ["spec.nodeName"]`; with `[]` it has the metadata alone'
        problems.add(where, "it names no fields", hint)
    paths = tuple(_listed(table, "fields"))
    kind = _kind_of_view(table)
    return ViewConfig(kind, paths, where) if kind else None


def _kind_of_view(table: Table) -> PlacedText | None:
    if "of" not in table:
        what = "it does not say which kind it is a view of"
        table.problems.add(str(table.place), what, 'add `of = "core/v1/Pod"`')
    kind, where = table.text("of"), str(table.place / "of")
    if kind is None:
        return None
    if not _KIND.fullmatch(kind):
        hint = "write `group/version/Kind`; the core group is `core`"
        table.problems.add(where, f"`{kind}` does not name a kind", hint)
        return None
    return PlacedText(kind.removeprefix("core/"), where)


def _kinds(table: Table) -> dict[str, str]:
    """The keys by the kind they name: `core/v1/Pod` is another spelling of `v1/Pod`."""
    keys: dict[str, str] = {}
    for key in table.values:
        match = _KIND.fullmatch(key)
        if not match:
            hint = "write `group/version/Kind`, or `version/Kind` for the core group"
            table.problems.add(str(table.place / key), "it does not name a kind", hint)
            continue
        kind = key.removeprefix("core/")
        if keys.setdefault(kind, key) != key:
            what = f"it refers to the same kind as `{keys[kind]}`"
            table.problems.add(str(table.place / key), what, "keep one of the two")
    return keys
