"""Custom resources that are defined for a while."""

from __future__ import annotations

import secrets
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import msgspec
from kubeapi.apiextensions.v1.models import CustomResourceDefinition

from clientgen.runtime._http.request import HttpRequest
from clientgen.runtime.errors import ApiError, NotFound
from clientgen.runtime.models import from_dict, to_dict
from clusterkit.together import until

if TYPE_CHECKING:
    from kubeapi.clientset import Clientset

__all__ = [
    "DEFINITIONS",
    "Definition",
    "ask",
    "define",
    "defined",
    "new_domain",
    "remove",
    "within",
]

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_JSON = {"Content-Type": "application/json", "Accept": "application/json"}
_OURS = "example.com"

# As read from a manifest.
Definition = Mapping[str, Any]


def new_domain() -> str:
    """What the groups of a test end in: two sessions on one cluster must not meet."""
    return f"example.t{secrets.token_hex(4)}.clientgen.example"


def within(domain: str, text: str) -> str:
    """A text about groups of example.com, which anyone may have, about those of a domain."""
    return text.replace(_OURS, domain)


def ask(
    admin: Clientset, method: str, path: str, body: object = None, **headers: str
) -> tuple[int, dict[str, Any]]:
    """The code and the body of an answer, whatever it is."""
    all_headers = {**_JSON, **{name.capitalize(): value for name, value in headers.items()}}
    data = None if body is None else msgspec.json.encode(body)
    try:
        answer = admin.rest.send(HttpRequest(method, path, tuple(all_headers.items()), data))
    except ApiError as error:
        return error.code, to_dict(error.status)
    document: dict[str, Any] = msgspec.json.decode(answer.body)
    return answer.status, document


def define(admin: Clientset, definition: Definition) -> None:
    """Define a resource, and wait until it is served."""
    wanted = from_dict(CustomResourceDefinition, dict(definition))
    admin.apiextensions_v1.custom_resource_definitions().create(wanted, field_validation="Strict")
    until(lambda: _is_established(admin, definition["metadata"]["name"]))
    until(lambda: all(_is_served(admin, path) for path in _paths(definition["spec"])))


def remove(admin: Clientset, definition: Definition) -> None:
    """Remove a resource, and with it all objects."""
    with suppress(NotFound):
        name = definition["metadata"]["name"]
        admin.apiextensions_v1.custom_resource_definitions().delete(name)


@contextmanager
def defined(
    admin: Clientset, definitions: Iterable[Definition]
) -> Generator[list[Definition], None, None]:
    """Have resources defined for a while."""
    made = list(definitions)
    try:
        for each in made:
            define(admin, each)
        yield made
    finally:
        for each in made:
            remove(admin, each)


def _is_established(admin: Clientset, name: str) -> bool:
    definition = admin.apiextensions_v1.custom_resource_definitions().get(name)
    states = {each.type: each.status for each in definition.status.conditions}
    assert states.get("NonStructuralSchema", "False") == "False", definition.status.conditions
    return states.get("Established") == "True"


def _paths(spec: Mapping[str, Any]) -> Iterator[str]:
    """Where the objects of each served version are."""
    for version in spec["versions"]:
        if version["served"]:
            yield f"/apis/{spec['group']}/{version['name']}/{spec['names']['plural']}"


def _is_served(admin: Clientset, path: str) -> bool:
    """Whether it is there; for a moment it is not, and for another the server asks to wait."""
    code, answer = ask(admin, "GET", path)
    assert code in {200, 404, 429}, answer
    return code == 200
