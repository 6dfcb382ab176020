"""Images, variables, resources and service accounts of Pods and Pod templates, by kubectl's rules.

kubectl: pkg/cmd/set and polymorphichelpers.UpdatePodSpecForObjectFn.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from .._conditions.json_fields import Json, items, part, text
from .._models.arguments import type_of
from .._models.quantity import Quantity
from ..errors import OperationRefused, one_line
from .texts import check_mapping, check_texts

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

_TEMPLATE: Final = ("spec", "template", "spec")
# Where the spec of the Pods is, by apiVersion and kind.
_PATHS: Final[Mapping[tuple[str, str], tuple[str, ...]]] = {
    ("v1", "Pod"): ("spec",),
    ("v1", "ReplicationController"): _TEMPLATE,
    **{
        ("apps/v1", kind): _TEMPLATE
        for kind in ("DaemonSet", "Deployment", "ReplicaSet", "StatefulSet")
    },
    ("batch/v1", "Job"): _TEMPLATE,
    ("batch/v1", "CronJob"): ("spec", "jobTemplate", *_TEMPLATE),
}
# apimachinery: validation.IsEnvVarName.
_match_variable: Final = re.compile(r"(?!\.\.)(?!\.$)[-._a-zA-Z][-._a-zA-Z0-9]*").fullmatch
_ALL: Final = "*"


def pod_spec_path(call: str, api_version: str, kind: str) -> tuple[str, ...]:
    """Return where the spec of the Pods is in objects of a kind.

    Raises:
        TypeError: Objects of the kind are neither Pods nor have a Pod template.
    """
    path = _PATHS.get((api_version, kind))
    if path is None:
        raise TypeError(f"{call} takes a Pod or a workload with a Pod template, not {kind}")
    return path


# ---- images -------------------------------------------------------------------------------------


def check_images(images: object) -> Mapping[str, str]:
    """Check the images by container.

    Raises:
        TypeError: It is not a mapping of texts.
        ValueError: It is empty, an image is empty, or `*` is not its only container.
    """
    checked = check_texts("set_image", "images", images)
    if _ALL in checked and len(checked) > 1:
        raise ValueError("set_image: `*` means all containers, so it must be the only one")
    for name, image in checked.items():
        if not image:
            raise ValueError(f"set_image: the image of {name!r} is empty")
    return checked


def set_images(spec: Json, images: Mapping[str, str], subject: str) -> None:
    """Set the images of containers and init containers; `*` means all.

    Raises:
        OperationRefused: There is no such container.
    """
    containers = [*items(spec, "initContainers"), *items(spec, "containers")]
    for name, image in images.items():
        chosen = [each for each in containers if name in (_ALL, text(each, "name"))]
        if not chosen:
            raise _no_container(subject, name, containers)
        for container in chosen:
            container["image"] = image


# ---- environment variables ----------------------------------------------------------------------


class EnvChanges(Struct, frozen=True):
    """Changes of environment variables.

    Attributes:
        variables: The new variables by name, as in `env` of a container.
        removed: The names of the variables to remove.
        overwrite: Whether variables may be changed.
    """

    variables: Mapping[str, Json]
    removed: frozenset[str]
    overwrite: bool

    def apply(self, spec: Json, containers: str, subject: str) -> None:
        """Change the variables of the containers whose names match.

        Raises:
            OperationRefused: No container matches, or a variable has another value already.
        """
        for container in _matching(spec, containers, subject):
            self._apply(container, subject)

    def _apply(self, container: Json, subject: str) -> None:
        left, kept = dict(self.variables), list[Json]()
        for present in items(container, "env"):
            name = text(present, "name")
            if name in self.removed or (name in self.variables and name not in left):
                continue
            new = left.pop(name, present)
            if not self.overwrite and text(new, "value") != text(present, "value"):
                where = f"{text(container, 'name')} of {subject}"
                raise OperationRefused(
                    f"{name} already has another value in the container {where}:"
                    " overwrite=True changes it"
                )
            kept.append(new)
        kept += left.values()
        if kept or "env" in container:
            container["env"] = kept


def env_changes(
    env: Mapping[str, str | None], referenced: Mapping[str, Json], prefix: str, *, overwrite: bool
) -> EnvChanges:
    """Return the changes of variables. None removes a variable.

    Args:
        env: The variables and their values. Checked by `check_env`.
        referenced: The variables whose values are keys of a ConfigMap or Secret.
        prefix: Text before the names of new variables.
        overwrite: Whether variables may be changed.

    Raises:
        ValueError: A name is not valid.
    """
    given = {
        name: {"name": name, "value": value} for name, value in env.items() if value is not None
    }
    variables = {
        f"{prefix}{name}": {**each, "name": f"{prefix}{name}"}
        for name, each in (*given.items(), *referenced.items())
    }
    check_variables("set_env", variables)
    return EnvChanges(variables, frozenset(env) - frozenset(given), overwrite)


def check_variables(call: str, names: Iterable[str]) -> None:
    """Check the names of variables, as kubectl does. Servers may allow more.

    Raises:
        ValueError: A name is not valid.
    """
    for name in names:
        if not _match_variable(name):
            raise ValueError(
                f"{call}: {one_line(repr(name))} is no name of a variable: it must consist of"
                " letters, digits, `_`, `-` and `.`, and not begin with a digit"
            )


def variables_from(source: Json, keys: Collection[str]) -> dict[str, Json]:
    """Return variables whose values are the keys of a ConfigMap or Secret.

    Args:
        source: The ConfigMap or Secret.
        keys: The keys to take; empty for all.

    Raises:
        TypeError: `source` is of another kind.
        OperationRefused: A key of `keys` is missing.
    """
    kind, name = text(source, "kind"), text(source, "metadata", "name")
    reference = {"ConfigMap": "configMapKeyRef", "Secret": "secretKeyRef"}.get(kind)
    if reference is None:
        raise TypeError(f"set_env: from_ must be a ConfigMap or a Secret, not {kind}")
    present = sorted(part(source, "data"))
    if missing := sorted({*keys} - {*present}):
        raise OperationRefused(f"the {kind} {name} has no key {', '.join(map(repr, missing))}")
    return {
        variable: {"name": variable, "valueFrom": {reference: {"name": name, "key": key}}}
        for key in present
        if not keys or key in keys
        for variable in (re.sub("[^a-zA-Z0-9_]", "_", key).upper(),)
    }


# ---- resources ----------------------------------------------------------------------------------


def quantities(what: str, given: Mapping[str, Any] | None) -> dict[str, str]:
    """Return amounts of resources in the API server's form.

    Raises:
        TypeError: The amounts are not a mapping.
        ValueError: An amount is not a quantity.
    """
    amounts: dict[str, str] = {}
    for name, value in check_mapping("set_resources", what, given or {}).items():
        try:
            amounts[name] = (value if isinstance(value, Quantity) else Quantity(value)).canonical()
        except (TypeError, ValueError) as error:
            raise ValueError(f"set_resources: {what}[{name!r}]: {error}") from None
    return amounts


def set_amounts(
    spec: Json,
    limits: Mapping[str, str],
    requests: Mapping[str, str],
    containers: str,
    subject: str,
) -> None:
    """Set limits and requests of the containers whose names match. Other resources stay.

    Raises:
        OperationRefused: No container matches.
    """
    for container in _matching(spec, containers, subject):
        resources = {**part(container, "resources")}
        for name, amounts in (("limits", limits), ("requests", requests)):
            if amounts:
                resources[name] = {**part(resources, name), **amounts}
        container["resources"] = resources


def _matching(spec: Json, pattern: object, subject: str) -> Iterable[Json]:
    """Return the containers and init containers whose names match; `*` is any text.

    Raises:
        OperationRefused: No container matches.
        TypeError: `pattern` is not a text.
    """
    if not isinstance(pattern, str):
        raise TypeError(f"containers must be a text, not {type_of(pattern)}")
    shell_pattern = re.sub(r"([?\[])", r"[\1]", pattern)
    containers = [*items(spec, "containers"), *items(spec, "initContainers")]
    chosen = [each for each in containers if fnmatchcase(text(each, "name"), shell_pattern)]
    if not chosen:
        raise _no_container(subject, pattern, containers)
    return chosen


def _no_container(subject: str, name: str, containers: Iterable[Json]) -> OperationRefused:
    names = ", ".join(text(each, "name") for each in containers) or "none"
    return OperationRefused(f"{subject} has no container {name!r}; it has {one_line(names)}")
