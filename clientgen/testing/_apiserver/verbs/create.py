"""Create, and what all writes share: the strategy of the resource, validation, ownership."""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from clientgen._apimachinery.failures import already_exists, invalid, unclassified

from .. import access, apply
from ..admission import CREATE, UPDATE, Attributes, chain_of, options_of
from ..apply import Writer
from ..requests.request_bodies import complain, drop_repeated_owners, object_of, place
from ..requests.request_options import write_options
from ..storage.store import key_of
from ..storage.versioned_view import VersionedView

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..requests.request_info import RequestInfo
    from ..requests.request_options import WriteOptions
    from ..responses.answers import Answer
    from ..responses.rendering import Rendering
    from ..storage.cluster_state import ClusterState

_ALPHABET: Final = "bcdfghjklmnpqrstvwxz2456789"
_SUFFIX_LENGTH: Final = 5
_MAX_BASE_LENGTH: Final = 58
_MAX_GENERATED_NAMES: Final = 8


def create(cluster: ClusterState, info: RequestInfo, rendering: Rendering) -> Answer:
    """POST to a collection."""
    options = write_options(info.request, "CreateOptions")
    body = object_of(info.request, info.strategy.codec, cluster.spec.schemas)
    complain(info.request, body.problems, options.validation, info.resource)
    outcome = Creation(cluster, info, options).create(body.value)
    return rendering.value(outcome.value, 201)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a write: the object as it is now, and whether it is a new one."""

    value: dict[str, Any]
    created: bool = False


def _wipe(metadata: dict[str, Any]) -> None:
    """Remove the fields that only the server sets."""
    for name in ("deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"):
        metadata.pop(name, None)


class Creation:
    """A write to one resource, which may create an object."""

    def __init__(self, cluster: ClusterState, info: RequestInfo, options: WriteOptions) -> None:
        self.cluster = cluster
        self.info = info
        self.options = options
        self.caller = info.request.caller
        self.resource = info.resource
        self.view = VersionedView(info.strategy, cluster.registry)
        self.strategy = self.view.strategy
        self.collection = cluster.store.collection(self.strategy.collection)

    # --------------------------------------------------------------------------- create

    def create(self, value: dict[str, Any]) -> Outcome:
        """Store an object that is not there yet."""
        value = self.view.titled(value)
        metadata = value["metadata"]
        self._place(metadata)
        self.cluster.check_namespace(self.resource, self.info.namespace, metadata)
        self.strategy.check_create(metadata.get("name", ""))
        _wipe(metadata)
        self.strategy.default(value)
        self._own(None, value)
        return self._create(value)

    def _create(self, value: dict[str, Any]) -> Outcome:
        _wipe(value["metadata"])
        value = self._admitted(value, None)
        metadata = value["metadata"]
        generates = bool(metadata.get("generateName")) and not metadata.get("name")
        if generates:
            self._generate_name(metadata)
        metadata.setdefault("name", "")
        metadata["uid"] = str(UUID(int=self.cluster.random.getrandbits(128), version=4))
        metadata["creationTimestamp"] = self.cluster.timestamp()
        access.check_grants(self.resource, value, None, self.caller, self.cluster)
        self.strategy.before_create(value, self.cluster)
        access.sign_request(self.resource, value, self.caller)
        self._validate(value, None)
        self._check_admission(value, None)
        if not self.options.dry_run:
            _check_unversioned(metadata)
        value, stored, form = self.strategy.settled(value)
        self._check_free(metadata, generates=generates)
        if not self.options.dry_run:
            self._put(value, stored, form)
        return Outcome(value, created=True)

    def _put(self, value: dict[str, Any], stored: dict[str, Any], form: str) -> None:
        self.collection.put(stored, form)
        value["metadata"]["resourceVersion"] = stored["metadata"]["resourceVersion"]

    def _may_create(self) -> None:
        """Check that the caller of an update or an apply may create the object that it names.

        Facts: k8s.io/apiserver, handlers/update.go and patch.go, `createAuthorizerAttributes`.

        Raises:
            Failure: 403.
        """
        if self.caller.is_master:
            return
        resource, info = self.resource, self.info
        wanted = access.Access(
            "create",
            resource.plural,
            resource.group,
            namespace=info.namespace,
            name=info.name,
        )
        access.authorize(self.caller, wanted, self.cluster)

    def _place(self, metadata: dict[str, Any]) -> None:
        place(metadata, self.resource, self.info.namespace)

    def _generate_name(self, metadata: dict[str, Any]) -> None:
        base = metadata["generateName"][:_MAX_BASE_LENGTH]
        for _ in range(_MAX_GENERATED_NAMES):
            suffix = "".join(self.cluster.random.choices(_ALPHABET, k=_SUFFIX_LENGTH))
            metadata["name"] = base + suffix
            if self._key(metadata) not in self.collection.records:
                return

    def _check_free(self, metadata: dict[str, Any], *, generates: bool) -> None:
        if self._key(metadata) in self.collection.records:
            resource = self.resource
            again = 1 if generates else None
            raise already_exists(
                resource.group, resource.plural, metadata["name"], retry_after=again
            )

    def _key(self, metadata: dict[str, Any]) -> str:
        return key_of(metadata.get("namespace", ""), metadata["name"])

    # -------------------------------------------------------------------------- admission

    def _attributes(self, value: dict[str, Any], old: dict[str, Any] | None) -> Attributes:
        """Return the attributes of this write for admission."""
        info, resource = self.info, self.resource
        name = info.name or value["metadata"].get("name") or ""
        return Attributes(
            cluster=self.cluster,
            request=info.request,
            strategy=self.strategy,
            operation=CREATE if old is None else UPDATE,
            resource=resource,
            kind=resource.gvk,
            subresource=info.subresource,
            namespace=info.namespace,
            name=name,
            object=value,
            old_object=old,
            options=options_of(
                "CreateOptions" if old is None else "UpdateOptions", info.request.query
            ),
            dry_run=self.options.dry_run,
        )

    def _admitted(self, value: dict[str, Any], old: dict[str, Any] | None) -> dict[str, Any]:
        """Return the object as admission changes it, before it is validated."""
        chain = chain_of(self.cluster)
        if not chain.is_active:
            return value
        owners = value["metadata"].get("managedFields")
        attributes = self._attributes(deepcopy(value), deepcopy(old))
        chain.admit(attributes)
        value = attributes.object or value
        metadata = value["metadata"]
        drop_repeated_owners(self.info.request, metadata)
        self._place(metadata)
        if owners is not None:  # who owns what is decided by now
            metadata["managedFields"] = owners
        return value

    def _check_admission(self, value: dict[str, Any], old: dict[str, Any] | None) -> None:
        """Let admission refuse the object as it would be stored."""
        chain = chain_of(self.cluster)
        if chain.is_active:
            chain.validate(self._attributes(deepcopy(value), deepcopy(old)))

    # ------------------------------------------------------------------ what all writes do

    def _validate(self, value: dict[str, Any], old: dict[str, Any] | None) -> None:
        resource, part = self.resource, self.info.subresource
        causes = self.strategy.metadata_causes(value, old, part)
        causes += self.strategy.causes(value, old, part, self.cluster)
        if causes:
            name = value["metadata"].get("name", "")
            raise invalid(resource.group, resource.kind, name, causes)
        self.info.request.warnings.extend(self.strategy.warnings(value, old, part))

    def _writer(self) -> Writer:
        return Writer(
            manager=self.options.manager,
            api_version=self.resource.api_version,
            subresource=self.info.subresource,
            now=self.cluster.now(),
        )

    def _schema_of(self, api_version: str) -> Any:
        return self.cluster.registry.schema_of(self.resource, api_version)

    def _own(self, old: dict[str, Any] | None, value: dict[str, Any]) -> None:
        apply.updated(
            old, value, self._writer(), self._schema_of, self._ignored(), self._conversion()
        )

    def _conversion(self) -> Callable[[Any, str], Any] | None:
        """Return what converts objects, if the kind's versions differ in more than their name."""
        if self.view.asks_webhook:
            return self.strategy.to_version
        return self._in_version if self.strategy.is_converted else None

    def _in_version(self, obj: dict[str, Any], api_version: str) -> dict[str, Any]:
        """Return an object of a built-in kind in another of its versions."""
        registry = self.cluster.registry
        group, _, version = api_version.rpartition("/")
        target = registry.of_kind(group, version, self.resource.kind)
        if not obj or target is None:
            return obj
        return registry.strategy_of(target).convert(obj, self.resource)

    def _ignored(self) -> Iterable[tuple[str, ...]]:
        return self.strategy.reset_fields(self.info.subresource)


def _check_unversioned(metadata: dict[str, Any]) -> None:
    """Refuse to create an object with a resourceVersion; one that is no number is ignored.

    Raises:
        Failure: 500.
    """
    version: str = metadata.pop("resourceVersion", None) or "0"
    if re.fullmatch("0*[1-9][0-9]*", version):
        raise unclassified("resourceVersion should not be set on objects to be created")
