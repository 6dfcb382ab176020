"""Types by the names that markers call them by: those of Go and of Python."""

from __future__ import annotations

from collections.abc import Iterable

from clientgen.generator.ir import Imported, ModelId, PythonClass


def named_in_go(definitions: Iterable[str], package: str, name: str) -> str | None:
    """The definition of a Go type: `k8s.io/api/autoscaling/v1` and `Scale`."""
    ending = ".".join(["", *package.split("/")[-2:], name])
    exact = f"{package}.{name}"
    return next(
        (
            definition
            for definition in definitions
            if definition == exact or definition.endswith(ending)
        ),
        None,
    )


def imported_from_go(imported: Imported, package: str, name: str) -> ModelId | None:
    """The same of a package in use, which does not say where its types were in Go."""
    group, version = ["", "", *package.split("/")][-2:]
    for model in sorted(imported.classes):
        home = model.group_version
        first = home.group.partition(".")[0] or "core"
        if (first, home.version, model.name) == (group, version, name):
            return model
    return None


def imported_class(imported: Imported, module: str, name: str) -> ModelId | None:
    """The model that a Python class is: `myops.v1` and `Job`, `kubeapi.core.v1` and `Pod`."""
    wanted = (PythonClass(module, name), PythonClass(f"{module}.models", name))
    models = imported.classes
    return next((model for model in sorted(models) if models[model] in wanted), None)
