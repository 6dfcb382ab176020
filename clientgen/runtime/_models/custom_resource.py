"""The base class of custom resources: it adds apiVersion, kind and metadata.

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


class _KindMeta(ModelMeta):
    """Declares the apiVersion and kind of a class from the keywords of its `class` statement."""

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
        """Create the class. It inherits a missing `group` or `version` from its base class."""
        is_derived = any(isinstance(base, _KindMeta) for base in bases)
        # A hidden variant has the kind of its model.
        if is_derived and "__model__" not in namespace:
            namespace["__group__"] = group = group or _inherited(bases, "__group__")
            namespace["__version__"] = version = version or _inherited(bases, "__version__")
            _check_declaration(name, namespace, group, version, kind)
            if not name.startswith("_"):
                _add_type_meta(namespace, f"{group}/{version}", kind or name)
        return super().__new__(mcs, name, bases, namespace, **config)


def _inherited(bases: tuple[type, ...], name: str) -> str:
    return next((value for base in bases if (value := getattr(base, name, ""))), "")


def _check_declaration(
    name: str, namespace: dict[str, Any], group: str, version: str, kind: str
) -> None:
    """Check the declaration of a kind.

    Raises:
        TypeError: the group, version or kind is missing, not allowed, or declared twice.
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
        missing = " and no ".join(["group"] * (not group) + ["version"] * (not version))
        raise TypeError(f"the kind {name} has no {missing}: write {example}")


def _add_type_meta(namespace: dict[str, Any], api_version: str, kind: str) -> None:
    """Add the fields apiVersion and kind to the body of a class."""
    declared = declared_annotations(namespace)
    namespace["__annotations__"] = {"api_version": str, "kind": str, **declared}
    namespace["api_version"] = constant(api_version, name="apiVersion")
    namespace["kind"] = constant(kind)


class CustomResource(Model, metaclass=_KindMeta):
    """The base class of your own kinds. It adds apiVersion, kind and metadata.

    The `class` statement gives the group and the version. The kind is the name of the class, or the
    value of `kind=`. A class whose name begins with an underscore is not a kind, but a base class
    of kinds: derived classes inherit its group and version, unless they have their own.
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
