# Derived from _async/recipe_target.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""The object of a drain, rollout or port-forward: given as an object, or as a class and a name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from .._http.path_segments import name_in
from .._manifests.object_addresses import namespace_for
from .._models.list_classes import new_list_class
from .._models.model import Model
from .._models.unstructured import Unstructured, UnstructuredList
from .._recipes.rollouts import check_has_name
from .lease_client import rest_of
from .object_client import ObjectClient

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Unpack

    from .._conditions.json_fields import Json
    from .._http.call_options import GetOptions
    from .._http.resource import Resource
    from .lease_client import Client
    from .rest import Rest


class RecipeTarget:
    """The object of a recipe, with the clients for the object."""

    def __init__(
        self,
        call: str,
        k: Client,
        resource: Resource,
        workload: object,
        name: str | None,
        *,
        namespace: str | None,
    ) -> None:
        self.rest = rest_of(k)
        self.resource = resource
        model: Any = workload if isinstance(workload, type) else type(workload)
        self.name: str = cast("str", name)
        if not isinstance(workload, type):
            if name is not None:
                raise TypeError(
                    "name must be left out if an object is given: the object has its name"
                )
            self.name = name_in(workload)
            body = cast("Model | Mapping[str, Any]", workload)
            namespace = namespace_for(self.resource, body, namespace, self.rest.namespace)
        check_has_name(call, self.resource.kind, self.name)
        if namespace is None and resource.namespaced:
            namespace = self.rest.namespace
        self.namespace = namespace
        lists: Any = UnstructuredList
        if issubclass(model, Model):
            lists = new_list_class(model, resource.api_version, f"{resource.kind}List")
        self.client: ObjectClient[Any, Any] = ObjectClient(
            self.rest, self.resource, self.namespace, model, lists
        )

    def __str__(self) -> str:
        where = f"{self.namespace}/" if self.namespace else ""
        return f"{self.resource.kind} {where}{self.name}"

    def read(self, **options: Unpack[GetOptions]) -> Json:
        """Read the object."""
        return any_client(self.rest, self.resource, self.namespace).get(self.name, **options)


def any_client(
    rest: Rest, resource: Resource, namespace: str | None
) -> ObjectClient[Unstructured, UnstructuredList]:
    """Return a client whose objects are `Unstructured`."""
    return ObjectClient(rest, resource, namespace, Unstructured, UnstructuredList)
