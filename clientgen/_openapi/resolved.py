"""Schemas with `$ref` followed, as the test server looks at the types it serves.

One node type for built-in types (`definitions` of the v2 document) and for custom ones
(`openAPIV3Schema`): defaulting, pruning, patching and server-side apply all walk it.

Facts of the `x-kubernetes-*` extensions: docs/internals/kubernetes-semantics.md, 6.3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from clientgen._openapi.schema import Schema, reference_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Self

_META = "io.k8s.apimachinery.pkg.apis.meta.v1."


class ResolvedSchema(Schema):
    """One node; a node inside of it that is a reference is what it refers to.

    Attributes:
        name: the definition it is, empty for a nested one.
        notes: what others have made of the node, so that it is made once.
        plan: the same, of decoding.
    """

    __slots__ = ("_schemas", "name", "notes", "plan")

    def __init__(self, raw: Mapping[str, Any], schemas: Schemas, name: str = "") -> None:
        super().__init__(raw)
        self.name = name
        self.notes: dict[str, Any] = {}
        self.plan: Any = None
        self._schemas = schemas

    def __repr__(self) -> str:
        return f"ResolvedSchema({self.name or dict(self.raw)!r})"

    # Nodes are made once each, and hold what was made of them: each equals itself only.
    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def _node(self, raw: Mapping[str, Any]) -> Self:
        return cast("Self", self._schemas.of(raw))

    @property
    def additional(self) -> Self | None:
        """The schema of a map's values, which may allow anything; None when this is no map."""
        if self._additional is None and self.raw.get("additionalProperties") is True:
            self._additional = cast("Self", UNKNOWN)
        return super().additional

    def stated(self, name: str) -> Schema:
        """A named member as it is written, with its reference not followed.

        Raises:
            KeyError: there is none of that name.
        """
        return Schema(self.raw["properties"][name])

    def sibling(self, name: str) -> ResolvedSchema:
        """Another definition of the same document.

        Raises:
            KeyError: there is none of that name.
        """
        return self._schemas.named(name)

    @property
    def is_quantity(self) -> bool:
        """Whether it is a resource.Quantity."""
        return self.name == "io.k8s.apimachinery.pkg.api.resource.Quantity"

    @property
    def is_time(self) -> bool:
        """Whether it is a meta/v1 Time."""
        return self.name == f"{_META}Time"

    @property
    def is_micro_time(self) -> bool:
        """Whether it is a meta/v1 MicroTime."""
        return self.name == f"{_META}MicroTime"


class DeferredSchema(ResolvedSchema):
    """A node that is made when something first looks at it."""

    __slots__ = ("_make",)

    def __init__(self, make: Callable[[], Mapping[str, Any]], schemas: Schemas) -> None:
        super().__init__({}, schemas)
        del self.raw, self.type  # to look at them is to make them
        self._make = make

    def __getattr__(self, name: str) -> Any:
        if name not in ("raw", "type"):
            raise AttributeError(name)
        Schema.__init__(self, self._make())
        return getattr(self, name)


class Schemas:
    """The definitions of one document; a node that is asked for twice is the same node."""

    def __init__(self, definitions: Mapping[str, Any]) -> None:
        self.definitions = definitions
        self._named: dict[str, ResolvedSchema] = {}

    def named(self, name: str) -> ResolvedSchema:
        """The definition of that name.

        Raises:
            KeyError: there is none.
        """
        schema = self._named.get(name)
        if schema is None:
            schema = self._named[name] = self._made(name)
        return schema

    def _made(self, name: str) -> ResolvedSchema:
        last, visited = name, {name}
        while target := reference_of(self.definitions[last]):
            if target in visited:  # it is nothing but itself
                return ResolvedSchema({}, self, name)
            visited.add(target)
            last = target
        return (
            ResolvedSchema(self.definitions[name], self, name) if last == name else self.named(last)
        )

    def of(self, raw: Mapping[str, Any]) -> ResolvedSchema:
        """The node that `raw` is or refers to.

        What stands beside a `$ref` (patch strategies do) wins over the definition's own.
        """
        target = reference_of(raw)
        if not target:
            return ResolvedSchema(raw, self)
        referenced = self.named(target)
        extensions = {key: value for key, value in raw.items() if key.startswith("x-")}
        if not extensions:
            return referenced
        return ResolvedSchema({**referenced.raw, **extensions}, self, referenced.name)


UNKNOWN: Final = ResolvedSchema({}, Schemas({}))
"""Says nothing about its values."""
