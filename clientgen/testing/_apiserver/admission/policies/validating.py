"""ValidatingAdmissionPolicy: refuses requests, or warns of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from clientgen import _apiextensions
from clientgen._apimachinery.failures import Cause, Failure
from clientgen._json import part, parts, texts

from ..plugin import Plugin
from ..request_expressions import conditions_met, decider
from ..request_matching import is_configuration
from .hooks import Hooks
from .parameters import Misconfigured, param_resource, params_of
from .policy_matching import match_of
from .policy_values import Values

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...served_resources import Resource
    from ...storage.cluster_state import ClusterState
    from ..attributes import Attributes
    from .hooks import Binding, Hook, Policy

_REVIEWS: Final = frozenset(
    {
        "selfsubjectreviews.authentication.k8s.io",
        "tokenreviews.authentication.k8s.io",
        "localsubjectaccessreviews.authorization.k8s.io",
        "selfsubjectaccessreviews.authorization.k8s.io",
        "selfsubjectrulesreviews.authorization.k8s.io",
        "subjectaccessreviews.authorization.k8s.io",
    }
)
_CODES: Final = {"Forbidden": 403, "Unauthorized": 401, "RequestEntityTooLarge": 413}
_UNPROCESSABLE: Final = 422
_MAX_MESSAGE_LENGTH: Final = 5 * 1024


def is_exempt(resource: Resource) -> bool:
    """Return whether policies never see a resource: policies themselves, and reviews of access."""
    is_webhook = resource.plural.endswith("webhookconfigurations")
    is_policy = is_configuration(resource) and not is_webhook
    return is_policy or resource.group_resource in _REVIEWS


def resource_name(attributes: Attributes) -> str:
    """Return the name that refusals give to the object."""
    if attributes.name:
        return attributes.name
    metadata = part(attributes.object or {}, "metadata")
    if attributes.object is not None and "metadata" not in attributes.object:
        return "Unknown/errorGettingName"
    return str(metadata.get("name") or metadata.get("generateName") or "Unknown")


@dataclass(frozen=True, slots=True)
class _Denial:
    """One reason to refuse a request."""

    policy: Policy
    binding: Binding | None
    message: str
    reason: str = ""
    is_error: bool = False

    @property
    def text(self) -> str:
        bound = f" with binding '{self.binding.name}'" if self.binding else ""
        return (
            f"ValidatingAdmissionPolicy '{self.policy.name}'{bound} denied request: {self.message}"
        )

    def failure(self, attributes: Attributes) -> Failure:
        """Return the answer to the request."""
        resource, name = attributes.resource, resource_name(attributes)
        reason = self.reason or "Invalid"
        return Failure(
            _CODES.get(reason, _UNPROCESSABLE),
            reason,
            f'{resource.group_resource} "{name}" is forbidden: {self.text}',
            name=name,
            group=resource.group,
            kind=resource.plural,
            causes=[Cause("", self.text)],
        )


class ValidatingPolicies(Plugin):
    """Runs all policies that are about a request; the first that refuses it is told."""

    def __init__(self, cluster: ClusterState) -> None:
        super().__init__(cluster)
        self._hooks = Hooks(
            cluster, "validatingadmissionpolicies", "validatingadmissionpolicybindings"
        )

    @property
    def is_active(self) -> bool:
        """Whether there is a binding."""
        return self._hooks.any

    def validate(self, attributes: Attributes) -> None:
        """Refuse what a policy does not allow.

        Raises:
            Failure: 422, or what the policy says.
        """
        if is_exempt(attributes.resource):
            return
        budget = _apiextensions.CostBudget()
        denials: list[_Denial] = []
        with _apiextensions.deciding_by(decider(self.cluster)):
            for hook in self._hooks.now():
                denials += _Run(hook, attributes, budget).denials()
        if denials:
            raise denials[0].failure(attributes)


class _Run:
    """One policy on one request."""

    def __init__(
        self, hook: Hook, attributes: Attributes, budget: _apiextensions.CostBudget
    ) -> None:
        self._policy = hook.policy
        self._bindings = hook.bindings
        self._attributes = attributes
        self._budget = budget
        self._values: Values | None = None

    def denials(self) -> Iterator[_Denial]:
        policy, attributes = self._policy, self._attributes
        try:
            match = match_of(part(policy.spec, "matchConstraints"), attributes)
            if match is None:
                return
            resource = param_resource(policy.spec, attributes.cluster)
        except (Failure, Misconfigured) as error:
            yield from self._misconfigured(error, None)
            return
        for binding in self._bindings:
            yield from self._bound(binding, match, resource)

    def _misconfigured(self, error: Exception, binding: Binding | None) -> Iterator[_Denial]:
        if self._policy.ignores_failures:
            return
        what = "policy" if binding is None else "binding"
        why = error.message if isinstance(error, Failure) else str(error)
        yield _Denial(self._policy, binding, f"failed to configure {what}: {why}")

    def _bound(
        self, binding: Binding, match: Resource, resource: Resource | None
    ) -> Iterator[_Denial]:
        attributes = self._attributes
        try:
            limits = binding.spec.get("matchResources")
            if limits is not None and match_of(limits, attributes) is None:
                return
            params = params_of(resource, binding.spec, attributes.namespace, attributes.cluster)
        except (Failure, Misconfigured) as error:
            yield from self._misconfigured(error, binding)
            return
        if params and self._values is None:
            self._values = Values.of(attributes, match)
        for param in params:
            for denial in self._decisions(binding, param):
                yield from self._acted_on(denial, binding)

    def _acted_on(self, denial: _Denial, binding: Binding) -> Iterator[_Denial]:
        """Do what the binding says: warn, deny, or note it in the audit log, which is not kept."""
        actions = texts(binding.spec, "validationActions")
        if denial.is_error and denial.reason == _AUDIT:
            yield _Denial(denial.policy, denial.binding, denial.message)
            return
        for action in actions:
            if action == "Deny":
                yield denial
            elif action == "Warn":
                self._attributes.warn(
                    f"Validation failed for ValidatingAdmissionPolicy '{denial.policy.name}' with "
                    f"binding '{binding.name}': {denial.message}"
                )

    # ------------------------------------------------------------------------ evaluation

    def _decisions(self, binding: Binding, param: dict[str, Any] | None) -> Iterator[_Denial]:
        """Yield what the policy says against the request, for one parameter."""
        assert self._values is not None
        policy, spec = self._policy, self._policy.spec
        try:
            if not self._is_about(param):
                return
            yield from self._validations(binding, param)
        except _apiextensions.PolicyError as error:
            yield from self._error(binding, str(error))
            return
        activation = self._activation(param)
        for annotation in parts(spec, "auditAnnotations"):
            expression = annotation["valueExpression"]
            try:
                value = activation.evaluate(expression)
            except _apiextensions.OutOfBudget as error:
                yield from self._error(binding, str(error))
                return
            except _apiextensions.PolicyError as error:
                if not policy.ignores_failures:
                    yield _Denial(policy, binding, str(error), _AUDIT, is_error=True)
                continue
            if value is not None and not isinstance(value, str):
                why = (
                    f"valueExpression '{expression}' resulted in unsupported return type: "
                    f"{_go_type(value)}. Return type must be either string or null."
                )
                yield _Denial(policy, binding, why, _AUDIT, is_error=True)

    def _is_about(self, param: dict[str, Any] | None) -> bool:
        policy = self._policy
        if not policy.conditions:
            return True
        return conditions_met(
            policy.conditions,
            self._activation(param, has_namespace=False),
            ignores_failures=policy.ignores_failures,
        )

    def _activation(
        self, param: dict[str, Any] | None, *, has_namespace: bool = True
    ) -> _apiextensions.Activation:
        assert self._values is not None
        return self._values.activation(
            self._policy, param, self._budget, has_namespace=has_namespace
        )

    def _error(self, binding: Binding, message: str) -> Iterator[_Denial]:
        if not self._policy.ignores_failures:
            yield _Denial(self._policy, binding, message, is_error=True)

    def _validations(self, binding: Binding, param: dict[str, Any] | None) -> Iterator[_Denial]:
        activation = self._activation(param)
        found: list[tuple[dict[str, Any], str]] = []
        for validation in parts(self._policy.spec, "validations"):
            try:
                value = activation.evaluate(validation["expression"])
            except _apiextensions.OutOfBudget:
                raise
            except _apiextensions.PolicyError as error:
                found.append((validation, str(error)))
                continue
            if value is not True:
                found.append((validation, ""))
        for validation, why in found:
            if why:
                yield from self._error(binding, why)
            else:
                message = _message(validation, activation)
                reason = validation.get("reason") or "Invalid"
                yield _Denial(self._policy, binding, message, reason)


_AUDIT: Final = "audit"


def _message(validation: dict[str, Any], activation: _apiextensions.Activation) -> str:
    """Return the message of a validation that failed."""
    message = ""
    expression = validation.get("messageExpression")
    if expression:
        try:
            value = activation.evaluate(expression)
        except _apiextensions.PolicyError:
            value = None
        message = value.strip() if isinstance(value, str) else ""
        if "\n" in message or len(message.encode()) > _MAX_MESSAGE_LENGTH:
            message = ""
    message = message or (validation.get("message") or "").strip()
    return message or f"failed expression: {validation['expression'].strip()}"


_GO_TYPES: Final = (
    (bool, "bool"), (int, "int"), (float, "double"), (dict, "map"), (list, "list")
)  # fmt: skip


def _go_type(value: Any) -> str:
    for kind, name in _GO_TYPES:
        if isinstance(value, kind):
            return name
    return "dyn"
