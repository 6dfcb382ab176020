"""IngressClass: a controller that serves Ingresses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    forbidden_value,
    invalid_value,
    required,
    too_long,
)
from clientgen._apimachinery.name_syntax import (
    label_problems,
    subdomain_problems,
)

from ...tables.columns import AGE, NAME, NONE, Column, Printer, View, field
from ..defaults import TypeDefaults, set_missing
from ..metadata import MetadataChecks
from ..shared.common_checks import (
    matches,
    one_of,
)
from ..strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_CONTROLLER_LENGTH: Final = 250


def _parameters_text(view: View) -> str:
    parameters = view.at("spec", "parameters")
    if parameters is None:
        return NONE
    group = f".{parameters['apiGroup']}" if parameters.get("apiGroup") is not None else ""
    return f"{parameters.get('kind', '')}{group}/{parameters.get('name', '')}"


class IngressClassStrategy(Strategy):
    """The strategy for IngressClasses."""

    types = {
        "networking.v1.IngressClassParametersReference": TypeDefaults(
            fill=lambda reference: set_missing(reference, scope="Cluster")
        )
    }
    metadata_checks = MetadataChecks.UPDATE_AGAIN | MetadataChecks.WHOLE_AGAIN
    generation_fields = ("spec",)
    immutable_fields = ("spec.controller",)
    printer = Printer(
        (
            NAME,
            Column("Controller", "What serves Ingresses of this class.", field("spec.controller")),
            Column("Parameters", "Where its configuration is.", _parameters_text),
            AGE,
        )
    )

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check the controller and its parameters."""
        controller = obj["spec"].get("controller") or ""
        if not controller:
            yield required("spec.controller")
        elif "/" not in controller:
            why = 'must be a domain-prefixed path (such as "acme.io/foo")'
            yield invalid_value("spec.controller", controller, why)
        elif len(controller.encode()) > _MAX_CONTROLLER_LENGTH:
            yield too_long(
                "spec.controller", f"may not be more than {_MAX_CONTROLLER_LENGTH} bytes"
            )
        if obj["spec"].get("parameters") is not None:
            yield from _parameter_causes(obj["spec"]["parameters"], "spec.parameters")


def _parameter_causes(parameters: dict[str, Any], path: str) -> Iterator[Cause]:
    group, space, at = parameters.get("apiGroup"), parameters.get("namespace"), f"{path}.namespace"
    if group is not None:
        yield from matches(f"{path}.apiGroup", group, subdomain_problems)
    for member in ("kind", "name"):
        if not parameters.get(member):
            yield required(f"{path}.{member}")
    scope = parameters.get("scope")
    yield from one_of(f"{path}.scope", scope, ("Cluster", "Namespace"))
    if scope == "Namespace" and space is None:
        yield required(at, "`parameters.scope` is set to 'Namespace'")
    elif scope == "Namespace":
        yield from matches(at, space or "", label_problems)
    elif scope == "Cluster" and space is not None:
        yield forbidden_value(at, "`parameters.scope` is set to 'Cluster'")
