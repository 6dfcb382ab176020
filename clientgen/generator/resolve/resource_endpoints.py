"""Operations to resources: which verbs and subresources an endpoint has.

The paths are the truth (https://kubernetes.io/docs/reference/using-api/api-concepts/). Markers may
take away and rename; a marker that asks for what is not there is a problem.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from clientgen._gvk import GroupVersion, GroupVersionKind
from clientgen._openapi.operation import Operation
from clientgen.generator.ir import (
    META_V1,
    Method,
    ModelId,
    Resource,
    Skipped,
    Subresource,
    Verb,
)
from clientgen.generator.resolve.types import Types
from clientgen.generator.sources.spec import Precedence

_VERBS: Mapping[str, tuple[Verb, ...]] = {
    "get": ("get",),
    "list": ("list",),
    "post": ("create",),
    "put": ("update",),
    "patch": ("patch", "apply"),
    "delete": ("delete",),
    "deletecollection": ("deleteCollection",),
}
_STRATEGIC = "application/strategic-merge-patch+json"
_STATUS = ModelId(META_V1, "Status")
# The document says these answer with what was posted; the API server answers with a Status.
_ANSWERED_BY_STATUS = frozenset(
    {("", "bindings", ""), ("", "pods", "binding"), ("", "pods", "eviction")}
)

_CONNECT = "a stream for which there is no method"
# What streams carry is in no document; these are known.
_STREAMS = {
    ("v1", "pods"): ("log", "exec", "attach", "portforward", "proxy"),
    ("v1", "services"): ("proxy",),
    ("v1", "nodes"): ("proxy",),
}
_ODD = "a subresource verb without a typed call"
_PARAMETERS = "a subresource whose path has parameters"
_NO_MODEL = "its schema is not a model"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The operations of one plural in one group version."""

    group_version: GroupVersion
    plural: str
    operations: tuple[Operation, ...]
    precedence: Precedence = Precedence.DOCUMENT

    def of(self, subresource: str) -> dict[str, Operation]:
        """The operations of a subresource by action; the object's own are those of ``."""
        operations = [op for op in self.operations if op.subresource == subresource]
        # A list of all namespaces gives way to the list of one: it is the same call.
        return {op.action: op for op in sorted(operations, key=lambda op: op.namespaced)}

    @property
    def namespaced(self) -> bool:
        """Whether its objects live in namespaces."""
        return any(op.namespaced for op in self.operations)

    @property
    def kinds(self) -> frozenset[GroupVersionKind]:
        """The kinds of its objects: one, where a server says it."""
        own = (op.gvk for op in self.operations if not op.subresource)
        return frozenset(gvk for gvk in own if gvk)

    def subresource_verbs(self) -> dict[str, frozenset[str]]:
        """The verbs of each subresource."""
        return {
            name: frozenset(v for action in self.of(name) for v in _VERBS.get(action, ()))
            for name in self.subresources
        }

    @property
    def subresources(self) -> list[str]:
        """The names of its subresources."""
        return sorted({op.subresource for op in self.operations} - {""})


def endpoints(operations: Iterable[Operation], precedence: Precedence) -> list[Endpoint]:
    """Group the operations of a spec by the resource they are calls on."""
    grouped: dict[tuple[GroupVersion, str], list[Operation]] = defaultdict(list)
    for operation in operations:
        grouped[operation.group_version, operation.plural].append(operation)
    return [
        Endpoint(gv, plural, tuple(ops), precedence)
        for (gv, plural), ops in sorted(grouped.items())
    ]


def resource_of(endpoint: Endpoint, types: Types, skipped: list[Skipped]) -> Resource | None:
    """Return the resource of an endpoint by its paths; `skipped` gets calls that fit no method."""
    main = endpoint.of("")
    model, kind = _model(main, types)
    if model is None or not kind:
        reason = f"{_NO_MODEL}: {endpoint.plural} of {endpoint.group_version}"
        skipped += [Skipped(op.operation_id, reason) for op in endpoint.operations]
        return None
    builder = _Subresources(endpoint, types, skipped)
    verbs: set[Verb] = {verb for action in main for verb in _VERBS.get(action, ())}
    verbs |= builder.verbs()
    if any(operation.watchable for operation in main.values()):
        verbs.add("watch")
    skipped += [
        Skipped(op.operation_id, _CONNECT) for op in main.values() if op.action == "connect"
    ]
    group, plural = endpoint.group_version.group, endpoint.plural
    cacheable = types.has_object_metadata(model)
    return Resource(
        group_version=endpoint.group_version,
        plural=plural,
        kind=kind,
        namespaced=endpoint.namespaced,
        model=model,
        list_model=types.model_of(main["list"].response) if "list" in main else None,
        verbs=frozenset(verbs),
        subresources=tuple(builder.objects()),
        methods=tuple(builder.methods()),
        streams=builder.streams(),
        strategic_merge="patch" not in main or _STRATEGIC in main["patch"].consumes,
        selectable_fields=types.selectable_fields(endpoint.group_version.with_kind(kind)),
        create_result=_STATUS if (group, plural, "") in _ANSWERED_BY_STATUS else None,
        has_lister=cacheable,
        has_informer=cacheable,
    )


def _model(main: Mapping[str, Operation], types: Types) -> tuple[ModelId | None, str]:
    """The model of the objects, from what is read or written, and their kind."""
    for action in ("get", "post", "put", "patch"):
        operation = main.get(action)
        if operation is None:
            continue
        model = types.model_of(operation.body if action == "post" else operation.response)
        if model:
            return model, operation.gvk.kind if operation.gvk else model.name
    listed = types.model_of(main["list"].response) if "list" in main else None
    item = types.list_item(listed) if listed else None
    return item, item.name if item else ""


class _Subresources:
    """Sorts the subresources of an endpoint: read-write parts, single calls, the rest."""

    def __init__(self, endpoint: Endpoint, types: Types, skipped: list[Skipped]) -> None:
        self._endpoint = endpoint
        self._types = types
        self._skipped = skipped

    def verbs(self) -> set[Verb]:
        """The marker verbs that the status subresource adds."""
        actions = self._endpoint.of("status")
        verbs: set[Verb] = set()
        if "put" in actions:
            verbs.add("updateStatus")
        if "patch" in actions:
            verbs.add("applyStatus")
        return verbs

    def objects(self) -> list[Subresource]:
        """List the subresources with get, update and patch of one model."""
        objects = ((name, self._object(name)) for name in self._fixed)
        return [Subresource(name, model) for name, model in objects if model]

    def streams(self) -> tuple[str, ...]:
        """List the subresources that are streams, as far as there are methods for them."""
        return tuple(name for name in self._known if self._is_stream(name))

    def _is_stream(self, name: str) -> bool:
        actions = self._endpoint.of(name)
        return name in self._known and bool({"get", "connect"} & actions.keys())

    @property
    def _known(self) -> tuple[str, ...]:
        gv = self._endpoint.group_version.api_version
        return _STREAMS.get((gv, self._endpoint.plural), ())

    def methods(self) -> list[Method]:
        """A call for each other operation that has typed input or output; the rest is skipped."""
        methods: list[Method] = []
        for name in self._fixed:
            if self._object(name) or name in self._known:
                continue
            for operation in self._endpoint.of(name).values():
                method = self._method(operation)
                if method:
                    methods.append(method)
        self._skipped += self._passed_over()
        return methods

    @property
    def _fixed(self) -> list[str]:
        """The subresources whose paths say all."""
        return [name for name in self._endpoint.subresources if "{" not in name]

    def _passed_over(self) -> Iterable[Skipped]:
        for operation in self._endpoint.operations:
            if operation.subresource.partition("/")[0] in self._known:
                continue
            if operation.action == "connect" and operation.subresource:
                yield Skipped(operation.operation_id, _CONNECT)
            elif "{" in operation.subresource:
                yield Skipped(operation.operation_id, _PARAMETERS)

    def _object(self, name: str) -> ModelId | None:
        actions = self._endpoint.of(name)
        if not {"get", "put", "patch"} <= actions.keys():
            return None
        return self._types.model_of(actions["get"].response)

    def _method(self, operation: Operation) -> Method | None:
        verbs: Mapping[str, Verb] = {"post": "create", "put": "update", "get": "get"}
        verb = verbs.get(operation.action)
        sent, answered = (self._types.model_of(s) for s in (operation.body, operation.response))
        group, plural = self._endpoint.group_version.group, self._endpoint.plural
        if (group, plural, operation.subresource) in _ANSWERED_BY_STATUS:
            answered = _STATUS
        if operation.action == "connect":
            return None
        if verb is None or answered is None or (verb != "get" and sent is None):
            self._skipped.append(Skipped(operation.operation_id, _ODD))
            return None
        return Method(
            name="",
            verb=verb,
            subresource=operation.subresource,
            input=sent,
            result=answered,
            body_optional=operation.subresource == "eviction",
        )
