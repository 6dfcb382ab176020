"""All files of a site."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING, Final

from clientgen._problems import ClientgenError, Problem
from clientgen.reference.names import rank_of
from clientgen.reference.site.errors_page import ERRORS, errors_page
from clientgen.reference.site.examples import Examples
from clientgen.reference.site.file_names import Paths
from clientgen.reference.site.overview_pages import (
    HOME,
    group_version_page,
    group_version_path,
    home_page,
    others_page,
    others_path,
)
from clientgen.reference.site.page import INDEX, SEARCH, STYLE
from clientgen.reference.site.search_index import search_index
from clientgen.reference.site.type_page import TypePage, TypePages
from clientgen.reference.sources import RANKS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clientgen.generator.ir import PythonClass
    from clientgen.reference.package_reader import Api, PackageText
    from clientgen.reference.records import Client, Home, Type

_MAX_USERS: Final = 60


def build(api: Api, package: PackageText) -> dict[str, bytes]:
    """Return the files of the site of a package by path.

    Raises:
        ClientgenError: a module is not Python, or there is nothing to show.
    """
    homes = package.homes
    types = {home: api.types_of(home) for home in homes}
    clients = {home: api.clients_of(home) for home in homes}
    own = [each for home in homes for each in types[home]]
    if not own and not any(clients.values()):
        raise ClientgenError([Problem(package.name, "it has no types to show")])
    site = _Site(api, package, types, clients)
    texts = {**site.overviews(), **site.type_pages(), INDEX: site.index()}
    files = {path: text.encode("utf-8", "backslashreplace") for path, text in texts.items()}
    return {**files, STYLE: _asset(STYLE), SEARCH: _asset(SEARCH)}


def _kinds(api: Api, clients: Iterable[Sequence[Client]]) -> list[Type]:
    """The types of kinds, which may be classes of another module."""
    names = [each.resource.type for several in clients for each in several]
    return [type_ for name in names if name and (type_ := api.type(name))]


def _asset(path: str) -> bytes:
    package = __name__.rpartition(".")[0]
    return resources.files(package).joinpath(path).read_bytes()


class _Site:
    """The pages of one package."""

    def __init__(
        self,
        api: Api,
        package: PackageText,
        types: dict[Home, list[Type]],
        clients: dict[Home, list[Client]],
    ) -> None:
        homes = list(types)
        own = [each for home in homes for each in types[home]]
        self._api = api
        self._package = package
        self._homes = homes
        self._clients = clients
        self._reached = reached = api.reachable([*own, *_kinds(api, clients.values())])
        self._home_of: dict[PythonClass, Home] = {
            each.id: home for home in homes for each in types[home]
        }
        self._client_of = {
            client.resource.type: client
            for home in homes
            for client in clients[home]
            if client.resource.type is not None
        }
        for home in homes:
            for client in clients[home]:
                if client.resource.type is not None:
                    self._home_of.setdefault(client.resource.type, home)
        self._paths = Paths((each, self._home_of.get(each.id)) for each in reached)
        self._errors = api.errors()
        self._others = [each for each in reached if each.id not in self._home_of]

    def overviews(self) -> dict[str, str]:
        """The first page, and the pages of group versions and of errors."""
        name, paths = self._package.name, self._paths
        listed = [(home, self._clients[home]) for home in self._homes]
        pages = {
            HOME: home_page(name, listed, paths, has_others=bool(self._others)),
            ERRORS: errors_page(name, self._errors, HOME),
        }
        for home in self._homes:
            shown = [each for each in self._reached if self._home_of.get(each.id) == home]
            pages[group_version_path(home)] = group_version_page(
                home, self._clients[home], shown, paths
            )
        if self._others:
            pages[others_path()] = others_page(name, self._others, paths)
        return pages

    def type_pages(self) -> dict[str, str]:
        """The pages of types."""
        writer = TypePages(self._api, self._paths, self._package.name, Examples(self._api))
        users = self._users()
        return {
            self._paths.of(each.id): writer.page(
                TypePage(
                    each,
                    self._crumbs(each),
                    self._client_of.get(each.id),
                    users.get(each.id, ())[:_MAX_USERS],
                )
            )
            for each in self._reached
        }

    def _users(self) -> dict[PythonClass, list[Type]]:
        """The types that have a type as that of a field."""
        users: dict[PythonClass, dict[PythonClass, Type]] = {}
        for each in self._reached:
            for field in each.fields:
                if field.shape.type is not None:
                    users.setdefault(field.shape.type, {})[each.id] = each
        return {name: list(several.values()) for name, several in users.items()}

    def _crumbs(self, type_: Type) -> list[tuple[str, str]]:
        home = self._home_of.get(type_.id)
        above = (
            (str(home.group_version), group_version_path(home))
            if home
            else ("Types of other modules", others_path())
        )
        return [(self._package.name, HOME), above]

    def index(self) -> str:
        """The index of the search."""
        ordered = sorted(self._homes, key=lambda home: rank_of(home.group_version, RANKS))
        order = {home: number for number, home in enumerate(ordered)}
        ranks = {
            each.id: order[home] if (home := self._home_of.get(each.id)) else len(order)
            for each in self._reached
        }
        return search_index(self._reached, self._client_of, self._paths, ranks, self._errors)
