"""MutatingAdmissionPolicy: changes the objects of requests."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from clientgen import _apiextensions
from clientgen._apimachinery.failures import Cause, Failure, internal_error
from clientgen._json import is_array, is_object, part, parts

from ... import apply
from ...patches.json_patch import DoesNotApply, applied
from ..attributes import DELETE
from ..plugin import Plugin
from ..request_expressions import conditions_met, decider
from ..request_matching import converted, kind_in
from .hooks import Hooks
from .parameters import Misconfigured, param_resource, params_of
from .policy_matching import match_of
from .policy_values import Values
from .validating import is_exempt, resource_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...served_resources import Resource
    from ...storage.cluster_state import ClusterState
    from ..attributes import Attributes
    from .hooks import Binding, Hook, Policy

_NAME: Final = "MutatingAdmissionPolicy"
_IF_NEEDED: Final = "IfNeeded"
_LISTED: Final = (
    "the value of a JSONPatch is a list of constructed objects: a real server (1.36) panics, and "
    "closes the connection; write them as maps"
)


class _CannotMutate(Exception):  # noqa: N818 - an answer, not a defect
    """A mutation that cannot be done on this object."""


@dataclass(frozen=True, slots=True)
class _Error:
    """One reason to refuse a request."""

    policy: Policy
    binding: Binding | None
    message: str
    reason: str = ""

    @property
    def text(self) -> str:
        if self.binding is None:
            return f'policy "{self.policy.name}" denied request: {self.message}'
        bound = f"with binding '{self.binding.name}'"
        return f"policy '{self.policy.name}' {bound} denied request: {self.message}"


@dataclass(frozen=True, slots=True)
class _Invocation:
    """A policy with one of its bindings and one parameter, for a request."""

    policy: Policy
    binding: Binding
    match: Resource
    param: dict[str, Any] | None

    @property
    def key(self) -> str:
        metadata = part(self.param or {}, "metadata")
        named = f"{metadata.get('namespace', '')}/{metadata.get('name', '')}"
        return f"{self.policy.name}|{self.binding.name}|{named}"


class MutatingPolicies(Plugin):
    """Runs all policies that are about a request, in the order of their names."""

    def __init__(self, cluster: ClusterState) -> None:
        super().__init__(cluster)
        self._hooks = Hooks(cluster, "mutatingadmissionpolicies", "mutatingadmissionpolicybindings")

    @property
    def is_active(self) -> bool:
        """Whether there is a binding."""
        return self._hooks.any

    def admit(self, attributes: Attributes) -> None:
        """Change the object as the policies say.

        Raises:
            Failure: 403, a policy cannot be applied.
        """
        if is_exempt(attributes.resource) or attributes.operation == DELETE:
            return
        errors: list[_Error] = []
        invocations: list[_Invocation] = []
        for hook in self._hooks.now():
            found = _Selection(hook, attributes)
            invocations += found.invocations()
            errors += found.errors
        if invocations:
            errors += _Dispatch(attributes).errors(invocations)
        errors = [error for error in errors if not error.policy.ignores_failures]
        if errors:
            raise _refused(errors, attributes)


def _refused(errors: list[_Error], attributes: Attributes) -> Failure:
    resource = attributes.resource
    return Failure(
        403,
        errors[0].reason or "Forbidden",
        errors[0].text,
        name=resource_name(attributes),
        group=resource.group,
        kind=resource.plural,
        causes=[Cause("", error.text) for error in errors],
    )


class _Selection:
    """The invocations of one policy for a request, selected before any of them runs."""

    def __init__(self, hook: Hook, attributes: Attributes) -> None:
        self._policy = hook.policy
        self._bindings = hook.bindings
        self._attributes = attributes
        self.errors: list[_Error] = []

    def invocations(self) -> Iterator[_Invocation]:
        attributes, spec = self._attributes, self._policy.spec
        try:
            match = match_of(part(spec, "matchConstraints"), attributes)
            if match is None:
                return
            resource = param_resource(spec, attributes.cluster)
        except (Failure, Misconfigured) as error:
            self._note(error, None)
            return
        for binding in self._bindings:
            for param in self._params(binding, resource):
                yield _Invocation(self._policy, binding, match, param)

    def _params(self, binding: Binding, resource: Resource | None) -> list[dict[str, Any] | None]:
        attributes = self._attributes
        try:
            limits = binding.spec.get("matchResources")
            if limits is not None and match_of(limits, attributes) is None:
                return []
            return params_of(resource, binding.spec, attributes.namespace, attributes.cluster)
        except (Failure, Misconfigured) as error:
            self._note(error, binding)
            return []

    def _note(self, error: Exception, binding: Binding | None) -> None:
        what = "policy" if binding is None else "binding"
        why = error.message if isinstance(error, Failure) else str(error)
        message = f"failed to configure {what}: {why}"
        self.errors.append(_Error(self._policy, binding, message))


class _Dispatch:
    """Invokes policies on one request, one after the other."""

    def __init__(self, attributes: Attributes) -> None:
        self._attributes = attributes
        self._budget = _apiextensions.CostBudget()

    def errors(self, invocations: list[_Invocation]) -> list[_Error]:
        errors: list[_Error] = []
        changed = False
        with _apiextensions.deciding_by(decider(self._attributes.cluster)):
            for invocation in invocations:
                try:
                    changed |= self._invoke(invocation, errors)
                except _apiextensions.PolicyError as error:
                    policy, binding = invocation.policy, invocation.binding
                    errors.append(_Error(policy, binding, str(error), "Invalid"))
        if changed:
            self._attributes.reinvocation.note_change()
        return errors

    def _invoke(self, invocation: _Invocation, errors: list[_Error]) -> bool:
        """Invoke a policy. Return whether it made an object, even an equal one.

        Raises:
            PolicyError: a match condition has no value.
        """
        attributes, policy = self._attributes, invocation.policy
        reinvocation = attributes.reinvocation
        if not self._is_about(invocation):
            return False
        if reinvocation.is_reinvoke and not reinvocation.is_wanted_by(_NAME, invocation.key):
            return False
        before = attributes.object
        was_mutated = False
        for mutation in parts(policy.spec, "mutations"):
            if attributes.object is None:
                break
            try:
                self._mutate(invocation, mutation)
                was_mutated = True
            except (_apiextensions.PolicyError, _CannotMutate) as error:
                errors.append(_Error(policy, invocation.binding, str(error), "Invalid"))
        if attributes.object != before:
            reinvocation.note_change()
        if policy.spec.get("reinvocationPolicy") == _IF_NEEDED:
            reinvocation.note_seen(_NAME, invocation.key)
        return was_mutated

    def _activation(
        self, invocation: _Invocation, *, has_namespace: bool = True
    ) -> _apiextensions.Activation:
        values = Values.of(self._attributes, invocation.match)
        return values.activation(
            invocation.policy,
            invocation.param,
            self._budget,
            has_namespace=has_namespace,
        )

    def _is_about(self, invocation: _Invocation) -> bool:
        policy = invocation.policy
        if not policy.conditions:
            return True
        return conditions_met(
            policy.conditions,
            self._activation(invocation, has_namespace=False),
            ignores_failures=policy.ignores_failures,
        )

    def _mutate(self, invocation: _Invocation, mutation: dict[str, Any]) -> None:
        activation = self._activation(invocation)
        live = activation.values["object"]
        if mutation.get("patchType") == "JSONPatch":
            expression = part(mutation, "jsonPatch").get("expression") or ""
            value = self._decoded(_patched(live, activation.evaluate(expression)))
        else:
            expression = part(mutation, "applyConfiguration").get("expression") or ""
            value = self._merged(live, activation.evaluate(expression), invocation.match)
        self._replace(value, invocation.match)

    def _merged(self, live: dict[str, Any], config: Any, match: Resource) -> dict[str, Any]:
        _check_types(config, "Object")
        plain = _apiextensions.without_types(config)
        if not is_object(plain):
            raise _CannotMutate(f"unsupported return type from ApplyConfiguration: {plain!r}")
        plain |= {"apiVersion": live["apiVersion"], "kind": live["kind"]}
        registry = self._attributes.cluster.registry
        kind = kind_in(self._attributes, match)
        resource = registry.of_kind(kind.group, kind.version, kind.kind)
        if resource is None and kind.kind == "Scale":
            why = "failed to convert patch object to typed object: no corresponding type for"
            raise _CannotMutate(
                f"error applying patch: {why} {live['apiVersion']}, Kind={live['kind']}"
            )
        schema = (resource or self._attributes.strategy.resource).schema
        try:
            result: dict[str, Any] = apply.merged(deepcopy(live), plain, schema)
        except apply.Mistyped as error:
            raise _CannotMutate(f"error applying patch: {error}") from None
        return result

    def _decoded(self, value: dict[str, Any]) -> dict[str, Any]:
        """Refuse another kind, and members that a type does not have.

        Raises:
            Failure: 500.
        """
        attributes = self._attributes
        codec = attributes.strategy.codec
        kind, version = value.get("kind"), str(value.get("apiVersion"))
        own = attributes.kind
        if (kind, version) != (own.kind, own.group_version.api_version) and not codec.typed_items:
            target = f"{own.group.split('.')[0] or 'core'}.{own.kind}"
            source = f"{version.rpartition('/')[2]}.{kind}"
            why = f"converting ({source}) to ({target}): unknown conversion"
            raise internal_error(f"failed to convert object: {why}")
        _, unknown = codec.clean(deepcopy(value), attributes.cluster.spec.schemas, internal_error)
        if unknown and not codec.typed_items:  # custom resources have no type
            listed = ", ".join(f'unknown field "{path}"' for path in unknown)
            raise internal_error(f"strict decoding error: {listed}")
        return value

    def _replace(self, value: dict[str, Any], match: Resource) -> None:
        attributes = self._attributes
        back = converted(attributes, value, match, attributes.resource)
        attributes.replace(back or value)


def _is_constructed(value: Any) -> bool:
    return is_object(value) and _apiextensions.TYPE in value


def _check_types(value: Any, root: str) -> None:
    """Make sure that constructed objects stand where the names of their types say."""
    found = list(_apiextensions.type_problems(value, root))
    if found:
        raise _CannotMutate("type mismatch: " + "\n".join(found))


def _patched(live: dict[str, Any], operations: Any) -> dict[str, Any]:
    listed = operations if is_array(operations) else []
    patch: list[dict[str, Any]] = []
    for each in listed:
        if not is_object(each) or each.get(_apiextensions.TYPE) != "JSONPatch":
            why = "JSONPatchType.expression should evaluate to array of JSONPatch"
            raise _CannotMutate(f"type mismatch: {why}")
        value = each.get("value")
        if is_object(value) and _apiextensions.TYPE in value:
            _check_types(value, value[_apiextensions.TYPE])
        elif is_array(value) and any(map(_is_constructed, value)):
            raise internal_error(_LISTED)
        patch.append(_apiextensions.without_types(each))
    try:
        result = applied(live, patch)
    except DoesNotApply as error:
        if error.is_failed_test:
            return live
        raise _CannotMutate(f"JSON Patch: {error}") from None
    if not is_object(result):
        raise internal_error("a JSON patch made something else than an object")
    return result
