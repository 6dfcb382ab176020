"""Webhooks: steps of admission in other programs.

Messages and order are those of k8s.io/apiserver/pkg/admission/plugin/webhook.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from msgspec import json

from clientgen._apimachinery.failures import Failure, bad_request, internal_error
from clientgen._json import is_object, parts, texts

from ..answered import problem_of
from ..patches.json_patch import json_patch
from ..webhook_calls import Unanswered, WebhookCall, target_of
from .match_conditions import meets
from .plugin import Plugin
from .request_matching import (
    converted,
    is_configuration,
    kind_in,
    matching_resource,
    selects_namespace,
    selects_object,
)
from .webhook_reviews import BadReview, Verdict, enveloped, review, review_version, verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..served_resources import Resource
    from ..storage.store import Record
    from .attributes import Attributes

_GROUP: Final = "admissionregistration.k8s.io"
_WITHOUT_EFFECTS: Final = ("None", "NoneOnDryRun")
_DEFAULT_TIMEOUT_SECONDS: Final = 10
_MAX_EXPLAINED: Final = 100


@dataclass(frozen=True, slots=True)
class _Hook:
    """A webhook of a configuration.

    Attributes:
        key: tells it from all others, also from what it was before a change.
    """

    key: str
    webhook: dict[str, Any]

    @property
    def name(self) -> str:
        return self.webhook["name"]  # type: ignore[no-any-return]

    @property
    def ignores_failures(self) -> bool:
        return self.webhook.get("failurePolicy") == "Ignore"


@dataclass(frozen=True, slots=True)
class _Invocation:
    """A webhook that has to be asked about a request, as one for `resource`."""

    hook: _Hook
    resource: Resource


class _Webhooks(Plugin):
    """What both kinds of webhooks share."""

    plural: str
    mutates: bool

    def __init__(self, cluster: Any) -> None:
        super().__init__(cluster)
        self._collection = cluster.store.collection(f"{self.plural}.{_GROUP}")
        self._read: dict[str, tuple[Record, list[_Hook]]] = {}

    @property
    def is_active(self) -> bool:
        """Whether there is a configuration."""
        return bool(self._collection.records)

    def _hooks(self) -> Iterator[_Hook]:
        """Yield the webhooks by the names of their configurations, then in their order."""
        records = self._collection.records
        for key in sorted(records):
            record = records[key]
            known = self._read.get(key)
            if known is None or known[0] is not record:
                known = self._read[key] = (record, _hooks_of(record))
            yield from known[1]

    def _invocation(self, hook: _Hook, attributes: Attributes) -> _Invocation | None:
        """Return whether a webhook has to be asked.

        Raises:
            Failure: 404 for a namespace that is gone, 403 for a condition that cannot be decided.
        """
        webhook = hook.webhook
        missing: Failure | None = None
        try:
            if not selects_namespace(webhook.get("namespaceSelector"), attributes):
                return None
        except Failure as failure:  # it counts only if the rules match
            missing = failure
        if not selects_object(webhook.get("objectSelector"), attributes):
            return None
        policy = webhook.get("matchPolicy") or "Equivalent"
        resource = matching_resource(parts(webhook, "rules"), policy, attributes)
        if resource is None:
            return None
        if missing is not None:
            raise missing
        invocation = _Invocation(hook, resource)
        return invocation if self._meets_conditions(invocation, attributes) else None

    def _meets_conditions(self, invocation: _Invocation, attributes: Attributes) -> bool:
        conditions = parts(invocation.hook.webhook, "matchConditions")
        if not conditions:
            return True
        hook = invocation.hook
        new, old = self._webhook_objects(invocation, attributes)
        request = review(
            attributes, invocation.resource, kind_in(attributes, invocation.resource), new, old
        )
        return meets(conditions, request, attributes, lenient=hook.ignores_failures)

    def _webhook_objects(
        self, invocation: _Invocation, attributes: Attributes
    ) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
        """Return the new and the old object in the version that the webhook knows."""
        asked, target = attributes.resource, invocation.resource
        new = converted(attributes, attributes.object, asked, target)
        return new, converted(attributes, attributes.old_object, asked, target)

    # ------------------------------------------------------------------------------ calls

    def _question(
        self, invocation: _Invocation, attributes: Attributes, turn: int
    ) -> tuple[WebhookCall, str, str]:
        """Return the call, the version and the uid of a review.

        Raises:
            BadReview: the webhook cannot be asked.
            Failure: 400, it may have side effects, and the request is a dry run.
        """
        hook, resource = invocation.hook, invocation.resource
        if attributes.dry_run and hook.webhook.get("sideEffects") not in _WITHOUT_EFFECTS:
            raise bad_request(f'admission webhook "{hook.name}" does not support dry run')
        version = review_version(texts(hook.webhook, "admissionReviewVersions"))
        new, old = self._webhook_objects(invocation, attributes)
        request = review(attributes, resource, kind_in(attributes, resource), new, old)
        attempt = self.cluster.attempt
        assert attempt is not None  # there are webhooks
        uid = attempt.uid(hook.key.encode(), str(turn).encode(), json.encode(request))
        seconds = hook.webhook.get("timeoutSeconds") or _DEFAULT_TIMEOUT_SECONDS

        def make() -> WebhookCall:
            return WebhookCall(
                target_of(hook.webhook["clientConfig"]),
                enveloped(version, request, uid),
                seconds,
                self.cluster.clock.monotonic() + seconds,
                query=f"timeout={seconds}s",
            )

        return attempt.call(uid, make), version, uid

    def _verdict(self, invocation: _Invocation, attributes: Attributes, turn: int = 0) -> Verdict:
        """Return what a webhook has answered.

        Raises:
            Unanswered: it has not yet.
            BadReview: it has failed.
            Failure: 400, see `_question`.
        """
        call, version, uid = self._question(invocation, attributes, turn)
        outcome = call.outcome
        if outcome is None:
            raise Unanswered([call])
        if problem := problem_of(outcome):
            raise BadReview(f"failed to call webhook: {problem}")
        return verdict(invocation.hook.name, version, uid, outcome.body, mutates=self.mutates)


class MutatingWebhooks(_Webhooks):
    """The webhooks that may change objects; they are asked one after the other."""

    plural = "mutatingwebhookconfigurations"
    mutates = True

    def admit(self, attributes: Attributes) -> None:
        """Ask the webhooks that have to be asked.

        Raises:
            Unanswered: one has not answered yet.
            Failure: one refuses the request, or has failed.
        """
        if is_configuration(attributes.resource):
            return
        for hook in self._hooks():
            again = attributes.reinvocation.is_reinvoke
            invocation = self._invocation(hook, attributes)
            if invocation is None:
                continue
            if again and not attributes.reinvocation.is_wanted_by(self.plural, hook.key):
                continue
            self._ask(invocation, attributes, turn=int(again))

    def _ask(self, invocation: _Invocation, attributes: Attributes, turn: int) -> None:
        hook = invocation.hook
        try:
            answer = self._verdict(invocation, attributes, turn)
            _warn(attributes, answer)
            if answer.refusal is not None:
                raise answer.refusal
            changed = bool(answer.patch) and self._patch(invocation, attributes, answer.patch)
        except BadReview as problem:
            changed = False
            if not hook.ignores_failures:
                raise _failed(hook, problem) from None
        if changed:
            attributes.reinvocation.note_change()
        if hook.webhook.get("reinvocationPolicy") == "IfNeeded":
            attributes.reinvocation.note_seen(self.plural, hook.key)

    def _patch(
        self, invocation: _Invocation, attributes: Attributes, operations: list[Any]
    ) -> bool:
        """Change the object as a webhook says. Return whether it differs now."""
        new, _ = self._webhook_objects(invocation, attributes)
        name = invocation.hook.name
        if new is None:
            why = "attempted to modify the object, which is not supported for this operation"
            raise internal_error(f'admission webhook "{name}" {why}')
        patched = _patched(new, operations)
        back = converted(attributes, patched, invocation.resource, attributes.resource)
        assert back is not None
        return attributes.replace(back)


class ValidatingWebhooks(_Webhooks):
    """The webhooks that may refuse requests; they are asked at the same time."""

    plural = "validatingwebhookconfigurations"
    mutates = False

    def validate(self, attributes: Attributes) -> None:
        """Ask the webhooks that have to be asked.

        Raises:
            Unanswered: some have not answered yet.
            Failure: one refuses the request, or has failed.
        """
        if is_configuration(attributes.resource):
            return
        invocations = [
            invocation
            for hook in self._hooks()
            if (invocation := self._invocation(hook, attributes)) is not None
        ]
        waiting: list[WebhookCall] = []
        refused: list[Failure] = []
        for invocation in invocations:
            try:
                answer = self._verdict(invocation, attributes)
            except Unanswered as unanswered:
                waiting += unanswered.calls
            except BadReview as problem:
                if not invocation.hook.ignores_failures:
                    refused.append(_failed(invocation.hook, problem))
            except Failure as failure:
                refused.append(failure)
            else:
                _warn(attributes, answer)
                refused += [answer.refusal] if answer.refusal is not None else []
        if waiting:
            raise Unanswered(waiting)
        if refused:
            raise refused[0]


def _hooks_of(record: Record) -> list[_Hook]:
    value = record.value()
    uid, version = value["metadata"].get("uid", ""), value["metadata"]["resourceVersion"]
    return [
        _Hook(f"{uid}/{version}/{index}", webhook)
        for index, webhook in enumerate(parts(value, "webhooks"))
    ]


def _failed(hook: _Hook, problem: BadReview) -> Failure:
    return internal_error(f'failed calling webhook "{hook.name}": {problem}')


def _patched(value: dict[str, Any], operations: list[Any]) -> dict[str, Any]:
    """Apply the patch of a webhook.

    Raises:
        Failure: 500, it cannot be applied.
    """
    try:
        result = json_patch(deepcopy(value), operations)
    except Failure:
        raise internal_error(_why_not(value, operations)) from None
    if not is_object(result):
        raise internal_error("the patch of a webhook makes no object")
    return result


def _why_not(value: dict[str, Any], operations: list[Any]) -> str:
    """Say which operation of a patch does not apply, as evanphx/json-patch does."""
    for number in range(1, min(len(operations), _MAX_EXPLAINED) + 1):
        try:
            json_patch(value, operations[:number])
        except Failure:
            done = json_patch(value, operations[: number - 1])
            return _unapplied(done, operations[number - 1])
    return "the patch of a webhook does not apply"


def _unapplied(value: Any, operation: Any) -> str:
    known: dict[str, Any] = operation if is_object(operation) else {}
    kind, path = known.get("op"), str(known.get("path"))
    if kind == "test":
        return f"testing value {path} failed: test failed"
    parent, _, key = path.rpartition("/")
    if _is_there(value, parent):
        if kind == "remove":
            missing = f"Unable to remove nonexistent key: {key}: missing value"
            return f"error in remove for path: '{path}': {missing}"
        if kind == "replace":
            return f"replace operation does not apply: doc is missing key: {path}: missing value"
    shown = f'"{path}"' if kind in ("add", "remove") else path
    return f"{kind} operation does not apply: doc is missing path: {shown}: missing value"


def _is_there(value: Any, path: str) -> bool:
    try:
        json_patch(value, [{"op": "copy", "from": path, "path": "/copy"}] if path else [])
    except Failure:
        return False
    return True


def _warn(attributes: Attributes, answer: Verdict) -> None:
    """Show the client what a webhook warns of, as far as headers take it."""
    for text in answer.warnings:
        attributes.warn(text)
