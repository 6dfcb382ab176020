"""The resources that serve kinds, as packages and programs register them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from .._http.path_segments import check_segment
from .._http.resource import Resource

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clientgen._gvk import GroupVersionKind

__all__ = ["ResourceRegistry"]


class ResourceRegistry:
    """The resource of each kind. Modules of packages are read when one of their kinds is needed."""

    def __init__(self) -> None:
        self._resources: dict[GroupVersionKind, Resource] = {}
        self._modules: dict[str, dict[str, None]] = {}
        """Modules that are not read yet, by API version, in the order of their registration."""

    def add(self, resource: Resource) -> None:
        """Register one resource.

        Raises:
            ValueError: its kind is registered with another resource, or its plural is not a name.
        """
        check_segment("plural", resource.plural)
        existing = self._resources.setdefault(resource.gvk, resource)
        if existing != resource:
            raise ValueError(
                f"{resource.gvk} is already registered with {existing}; it cannot also have"
                f" {resource}"
            )

    def add_modules(self, modules: Mapping[str, str], module: str) -> None:
        """Register modules by the API version of their resources.

        Args:
            modules: by API version the module with its `Resource` constants.
            module: the module that registers them; names that start with a dot are beside it.
        """
        package = module.rpartition(".")[0]
        for api_version, where in modules.items():
            home = f"{package}{where}" if where.startswith(".") else where
            self._modules.setdefault(api_version, {})[home] = None

    def find(self, gvk: GroupVersionKind) -> Resource | None:
        """Return the resource of a kind, if there is one."""
        api_version = str(gvk.group_version)
        if api_version in self._modules:
            self._read(api_version)
        return self._resources.get(gvk)

    def _read(self, api_version: str) -> None:
        # The entry is removed last: another thread either reads the modules too or sees the result.
        for name in [*self._modules.get(api_version, ())]:
            for value in vars(import_module(name)).values():
                if isinstance(value, Resource):
                    self.add(value)
        self._modules.pop(api_version, None)
