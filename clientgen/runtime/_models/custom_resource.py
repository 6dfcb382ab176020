"""The base class of the kinds that users write: it brings apiVersion, kind and metadata.

::

    class CronTab(CustomResource, group="stable.example.com", version="v1"):
        spec: CronTabSpec
        status: CronTabStatus = auto(CronTabStatus)

apiVersion and kind of such a class are constants, as if they were declared with `constant`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .base import ModelMeta
from .class_annotations import declared_annotations
from .meta_v1 import ObjectMeta
from .model import Model, auto, constant, field

__all__ = ["CustomResource"]


class _KindMeta(ModelMeta):
    """Declares apiVersion and kind of a class by the keywords of its `class` statement."""

    def __new__(
        mcs,
        name: str,
        bases: tuple[type, ...],
        namespace: dict[str, Any],
        *,
        group: str = "",
        version: str = "",
        kind: str = "",
        **config: Any,
    ) -> ModelMeta:
        """Create the class; what it does not say of `group` and `version` is that of its base."""
        is_derived = any(isinstance(base, _KindMeta) for base in bases)
        if is_derived and "__model__" not in namespace:  # a hidden variant of a kind is that kind
            namespace["__group__"] = group = group or _inherited(bases, "__group__")
            namespace["__version__"] = version = version or _inherited(bases, "__version__")
            _check(name, namespace, group, version, kind)
            if not name.startswith("_"):
                _declare(namespace, f"{group}/{version}", kind or name)
        return super().__new__(mcs, name, bases, namespace, **config)


def _inherited(bases: tuple[type, ...], name: str) -> str:
    return next((value for base in bases if (value := getattr(base, name, ""))), "")


def _check(name: str, namespace: dict[str, Any], group: str, version: str, kind: str) -> None:
    """See to it that a class says which kind it is, and says it once.

    Raises:
        TypeError: it does not.
    """
    example = f'class {name}(CustomResource, group="example.com", version="v1")'
    if not {"api_version", "kind"}.isdisjoint(declared_annotations(namespace)):
        raise TypeError(f"{name} declares its api_version or kind twice: write {example}")
    if name.startswith("_"):
        if kind:
            raise TypeError(
                f"{name} begins with an underscore, so it is a base class and cannot have a kind"
            )
    elif not group or not version:
        lacking = " and no ".join(["group"] * (not group) + ["version"] * (not version))
        raise TypeError(f"the kind {name} has no {lacking}: write {example}")


def _declare(namespace: dict[str, Any], api_version: str, kind: str) -> None:
    """Declare apiVersion and kind of a kind, in place."""
    declared = declared_annotations(namespace)
    namespace["__annotations__"] = {"api_version": str, "kind": str, **declared}
    namespace["api_version"] = constant(api_version, name="apiVersion")
    namespace["kind"] = constant(kind)


class CustomResource(Model, metaclass=_KindMeta):
    """The base class of a kind of your own: it brings apiVersion, kind and metadata.

    The `class` statement says the group and the version. The kind is the name of the class, or what
    `kind=` says. A class whose name begins with an underscore is no kind but a base of kinds:
    classes derived from it have its group and version, unless they say others.
    """

    if TYPE_CHECKING:
        api_version: str = constant("", name="apiVersion")
        """The group and version, such as `example.com/v1`."""
        kind: str = constant("")
        """The kind."""

        def __init_subclass__(
            cls,
            *,
            group: str = "",
            version: str = "",
            kind: str = "",
            sensitive: tuple[str, ...] = (),
            open_ended: bool = False,
            partial: tuple[str, ...] = (),
            forbid_unknown_fields: bool = True,
        ) -> None: ...

    else:
        api_version: str = field(name="apiVersion")
        kind: str
    metadata: ObjectMeta = auto(ObjectMeta)
    """The object's metadata."""
