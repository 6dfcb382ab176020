"""The registry of resources by kind. Generated packages and programs register resources."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from .._http.path_segments import check_segment
from .._http.resource import Resource

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clientgen._gvk import GroupVersionKind


class ResourceRegistry:
    """The resource of each kind. Modules are imported when one of their kinds is needed."""

    def __init__(self) -> None:
        self._resources: dict[GroupVersionKind, Resource] = {}
        self._modules: dict[str, dict[str, None]] = {}
        """Modules that are not imported yet, by API version, in the order of their registration."""

    def add(self, resource: Resource) -> None:
        """Register one resource.

        Raises:
            ValueError: the kind is registered with another resource, or the plural is not a name.
        """
        check_segment("plural", resource.plural)
        existing = self._resources.setdefault(resource.gvk, resource)
        if existing != resource:
            raise ValueError(
                f"{resource.gvk} is already registered with the resource {existing}, so {resource}"
                " cannot be registered"
            )

    def add_modules(self, modules: Mapping[str, str], module: str) -> None:
        """Register modules by the API version of their resources.

        Args:
            modules: for each API version, the module with its `Resource` constants.
            module: the registering module. Names that start with a dot are relative to its package.
        """
        package = module.rpartition(".")[0]
        for api_version, where in modules.items():
            home = f"{package}{where}" if where.startswith(".") else where
            self._modules.setdefault(api_version, {})[home] = None

    def find(self, gvk: GroupVersionKind) -> Resource | None:
        """Return the resource of a kind; None if no resource is registered."""
        api_version = str(gvk.group_version)
        if api_version in self._modules:
            self._import_modules(api_version)
        return self._resources.get(gvk)

    def _import_modules(self, api_version: str) -> None:
        # The entry is removed last, so that another thread imports the modules, too, or finds the
        # result.
        for name in [*self._modules.get(api_version, ())]:
            for value in vars(import_module(name)).values():
                if isinstance(value, Resource):
                    self.add(value)
        self._modules.pop(api_version, None)
