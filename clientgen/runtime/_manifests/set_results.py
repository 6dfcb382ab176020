"""The outcomes of the objects of a manifest set, and the errors of failed objects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

from msgspec import Struct

from .._models.decode_error import ClientError
from ..errors import one_line
from .apply_plan import ObjectKey
from .manifest_documents import ManifestError
from .set_objects import list_problems

if TYPE_CHECKING:
    from typing import Self

    from .._models.unstructured import Unstructured

_SHOWN_PER_REASON = 10

Outcome: TypeAlias = Literal["created", "configured", "unchanged", "pruned", "kept", "deleted"]


class ObjectOutcome(Struct, frozen=True, eq=False):
    """The outcome of one object. `str` is kubectl's line: `deployment.apps/web created`."""

    outcome: Outcome
    api_version: str
    kind: str
    namespace: str
    """The namespace; empty for cluster-scoped objects."""
    name: str
    where: str
    """The place of the object in the manifests; empty for pruned objects."""
    obj: Unstructured | None
    """The object in the server's response; None if there is none."""
    dry_run: bool
    note: str
    """The reason why an object was kept, or another remark; may be empty."""

    @classmethod
    def make(
        cls,
        outcome: Outcome,
        key: ObjectKey,
        version: str,
        *,
        where: str = "",
        obj: Unstructured | None = None,
        dry_run: bool = False,
        note: str = "",
    ) -> ObjectOutcome:
        """Create the outcome of the object with this key, in a version of its group."""
        kind, _, group = key.group_kind.partition(".")
        api_version = f"{group}/{version}" if group else version
        return cls(outcome, api_version, kind, key.namespace, key.name, where, obj, dry_run, note)

    @property
    def key(self) -> ObjectKey:
        """The group and kind, the namespace and the name."""
        group = self.api_version.rpartition("/")[0]
        kind = f"{self.kind}.{group}" if group else self.kind
        return ObjectKey(kind, self.namespace, self.name)

    def __str__(self) -> str:
        return outcome_line(self.key, self.outcome, dry_run=self.dry_run, note=self.note)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self}>"  # the object may be a Secret


def outcome_line(key: ObjectKey, outcome: str, *, dry_run: bool = False, note: str = "") -> str:
    """Return a line in kubectl's format: `deployment.apps/web created (server dry run)`."""
    kind, dot, group = key.group_kind.partition(".")
    line = f"{kind.lower()}{dot}{group}/{key.name} {outcome}"
    line += " (server dry run)" if dry_run else ""
    return f"{one_line(line)}: {one_line(note)}" if note else one_line(line)


class SetResult(Sequence[ObjectOutcome]):
    """The outcomes of all objects, in the order of the requests. `str` has a line per object."""

    def __init__(self, outcomes: Sequence[ObjectOutcome] = ()) -> None:
        self._outcomes = tuple(outcomes)

    @overload
    def __getitem__(self, index: int) -> ObjectOutcome: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[ObjectOutcome]: ...
    def __getitem__(self, index: int | slice) -> Any:
        return self._outcomes[index]

    def __len__(self) -> int:
        return len(self._outcomes)

    def of(self, outcome: Outcome) -> list[ObjectOutcome]:
        """Return the objects with this outcome: `result.of("created")`."""
        return [each for each in self._outcomes if each.outcome == outcome]

    @property
    def changed(self) -> bool:
        """Whether anything in the cluster was changed, or would have been without `dry_run`."""
        return any(each.outcome not in {"unchanged", "kept"} for each in self._outcomes)

    def __str__(self) -> str:
        return "\n".join(str(each) for each in self._outcomes)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self)} objects>"


class ObjectFailure(Struct, frozen=True, eq=False):
    """An object that failed, and its error."""

    where: str
    """The place of the object in the manifests; empty if the object is not in them."""
    key: ObjectKey | None
    """The key of the object; None if the error does not concern a single object."""
    error: Exception

    def __str__(self) -> str:
        # The message of a ManifestError contains the place and the object.
        if isinstance(self.error, ManifestError):
            return self.reason
        return ": ".join(text for text in (self.where, str(self.key or ""), self.reason) if text)

    @property
    def reason(self) -> str:
        """The message of the error, without the object and the request for it."""
        message = str(self.error) or type(self.error).__name__
        if self.key is None:
            return message
        request: object = getattr(self.error, "request", None)
        return message.removeprefix(f"{self.key}: ").removeprefix(f"{request}: ")


class ManifestSetError(ExceptionGroup[Exception], ClientError):
    """Some objects of a manifest set failed. The message has a line per object, with its place.

    Of objects that failed for the same reason, the first ten are listed, and the others are
    counted. `failures` has all.

    `exceptions` has the errors, so that `except*` can select some of them. The other objects were
    processed nevertheless, unless the connection or the credentials failed. `result` has their
    outcomes.
    """

    __module__ = "clientgen.runtime"  # tracebacks and pickles name the public module

    def __new__(
        cls, what: str, failures: Sequence[ObjectFailure], result: Sequence[ObjectOutcome]
    ) -> Self:
        """Create the exception group."""
        del result  # `__init__` stores the result
        text = f"{what}\n{list_problems(_lines(failures))}"
        for each in failures:
            _forget_traceback(each.error)
        return super().__new__(cls, text, [each.error for each in failures])

    def __init__(
        self, what: str, failures: Sequence[ObjectFailure], result: Sequence[ObjectOutcome]
    ) -> None:
        super().__init__(what, [each.error for each in failures])
        self.failures = tuple(failures)
        self.result = SetResult(result)
        self._what = what

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._what, self.failures, tuple(self.result))

    def derive(self, excs: Sequence[Any], /) -> Any:
        """Return a group with some of the errors; `except*` calls this."""
        failures = [each for each in self.failures if each.error in excs]
        return type(self)(self._what, failures, self.result)

    def __str__(self) -> str:
        return self.message


def _lines(failures: Sequence[ObjectFailure]) -> list[str]:
    """Return a line for each failure; for each reason at most ten, and the number of the rest."""
    lines: list[str] = []
    counts: Counter[str] = Counter()
    for each in failures:
        reason = each.reason.replace(each.key.name, "*") if each.key else each.reason
        counts[reason] += 1
        if counts[reason] <= _SHOWN_PER_REASON:
            lines.append(str(each))
    rest = ((reason, count - _SHOWN_PER_REASON) for reason, count in counts.items())
    return [*lines, *(f"and {count} more: {reason}" for reason, count in rest if count > 0)]


def _forget_traceback(error: Exception) -> None:
    """Remove the traceback and hide the cause of an error: both show only internals.

    `__context__` still has the cause.
    """
    error.__traceback__ = None
    if error.__cause__ is not None:
        error.__context__ = error.__cause__
    error.__cause__ = None
    error.__suppress_context__ = True
