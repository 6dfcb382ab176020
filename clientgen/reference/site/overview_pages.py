"""The pages above those of types: the package, its group versions, and types from elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clientgen.reference.site.errors_page import ERRORS
from clientgen.reference.site.errors_page import TITLE as ERRORS_TITLE
from clientgen.reference.site.file_names import OTHERS, folder_of
from clientgen.reference.site.html import Html, element, inline
from clientgen.reference.site.page import code, page, to_root

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clientgen.reference.records import Client, Home, Type
    from clientgen.reference.site.file_names import Paths

HOME = "index.html"


def group_version_path(home: Home) -> str:
    """The path of the page of a group version."""
    return f"{folder_of(home)}/index.html"


def others_path() -> str:
    """The path of the page of the types that are no part of the package."""
    return f"{OTHERS}/index.html"


def home_page(
    package: str, homes: Sequence[tuple[Home, Sequence[Client]]], paths: Paths, *, has_others: bool
) -> str:
    """The first page: group versions and their kinds."""
    rows = [
        element(
            "tr",
            element(
                "th",
                element("a", str(home.group_version), href=group_version_path(home)),
                scope="row",
            ),
            element("td", *_kinds(clients, paths, "")),
        )
        for home, clients in homes
    ]
    head = element(
        "tr", element("th", "Group version", scope="col"), element("th", "Kinds", scope="col")
    )
    links = [element("p", element("a", ERRORS_TITLE, href=ERRORS))]
    links += [element("p", element("a", "Types of other modules", href=others_path()))] * has_others
    return page(
        HOME,
        package,
        (),
        package,
        element("h1", f"{package} reference"),
        element(
            "p",
            "The kinds of this package, their fields, and the calls of their clients. The search "
            "knows the names of manifests and those of Python.",
        ),
        code(
            f"from {package} import Clientset\n\nwith Clientset.from_config() as k:\n    ...",
            label="First lines of a program",
        ),
        element("h2", "Group versions", id="group-versions"),
        element("table", element("thead", head), element("tbody", *rows)),
        *links,
    )


def group_version_page(
    home: Home, clients: Sequence[Client], types: Sequence[Type], paths: Paths
) -> str:
    """The page of a group version: its kinds, then its other types."""
    path = group_version_path(home)
    root = to_root(path)
    kinds = {client.resource.type for client in clients}
    by_id = {each.id: each for each in types}
    rows = [
        _kind_row(client, by_id.get(client.resource.type), paths, root)
        for client in clients
        if client.resource.type is not None and client.resource.type in paths
    ]
    titles = ("Kind", "Resource", "Scope", "What it is")
    head = element("tr", *(element("th", title, scope="col") for title in titles))
    content = [element("h1", str(home.group_version))]
    if rows:
        content += [
            element("h2", "Kinds", id="kinds"),
            element("table", element("thead", head), element("tbody", *rows)),
        ]
    views = [each for each in types if each.id.module == f"{home.module}.views"]
    others = [each for each in types if each.id not in kinds and each not in views]
    for title, listed in (("Views", views), ("Types", others)):
        if listed:
            content += [element("h2", title, id=title.lower()), _list_of(listed, paths, root)]
    crumbs = [(home.package, HOME)]
    return page(path, str(home.group_version), crumbs, home.package, *content)


def others_page(package: str, types: Sequence[Type], paths: Paths) -> str:
    """The page of the types that the package takes from elsewhere."""
    path = others_path()
    modules = sorted({each.import_from for each in types})
    content: list[Html] = [element("h1", "Types of other modules")]
    for module in modules:
        own = [each for each in types if each.import_from == module]
        content += [element("h2", module), _list_of(own, paths, to_root(path))]
    return page(path, "Types of other modules", [(package, HOME)], package, *content)


def _kind_row(client: Client, type_: Type | None, paths: Paths, root: str) -> Html:
    resource = client.resource
    assert resource.type is not None
    link = element("a", resource.kind, href=f"{root}{paths.of(resource.type)}")
    scope = "namespace" if resource.namespaced else "cluster"
    text = " ".join((type_.text if type_ else "").split("\n\n")[0].split())
    return element(
        "tr",
        element("th", link, scope="row"),
        element("td", element("code", resource.plural)),
        element("td", scope),
        element("td", inline(_first_sentence(text))),
    )


def _first_sentence(text: str) -> str:
    end = text.find(". ")
    return text if end < 0 else text[: end + 1]


def _kinds(clients: Iterable[Client], paths: Paths, root: str) -> list[str]:
    parts: list[str] = []
    for client in clients:
        type_ = client.resource.type
        if type_ is not None and type_ in paths:
            parts += [", "] * bool(parts)
            parts.append(element("a", client.resource.kind, href=f"{root}{paths.of(type_)}"))
    return parts


def _list_of(types: Iterable[Type], paths: Paths, root: str) -> Html:
    ordered = sorted(types, key=lambda each: each.name)
    items = (
        element("li", element("a", each.name, href=f"{root}{paths.of(each.id)}"))
        for each in ordered
    )
    return element("ul", *items, class_="columns")
