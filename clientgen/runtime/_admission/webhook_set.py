"""The registered webhooks of a program: functions by path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from msgspec import Struct

from .._models.arguments import check_class, check_function
from .._models.unstructured import Unstructured
from .admission_requests import OPERATIONS
from .conversion import Conversions, Step, gvk_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .._models.model import Model
    from .._models.unstructured import WholeObject
    from .webhook_options import WebhookOptions

Action: TypeAlias = Literal["validate", "mutate"]

CONVERT_PATH: Final = "/convert"
DEFAULT_OPERATIONS: Final = ("CREATE", "UPDATE")


class Webhook(Struct, frozen=True, kw_only=True):
    """An admission function with its path and its options."""

    action: Action
    model: type[WholeObject]
    function: Callable[[Any], Any]
    operations: tuple[str, ...]
    path: str
    options: WebhookOptions

    @property
    def title(self) -> str:
        """The name of the function for logs and messages."""
        return str(getattr(self.function, "__name__", type(self.function).__name__))


class WebhookSet:
    """The webhooks of a program."""

    def __init__(self) -> None:
        self._by_path: dict[str, Webhook] = {}
        self.conversions = Conversions()

    @property
    def webhooks(self) -> list[Webhook]:
        """The admission webhooks, in the order of their registration."""
        return list(self._by_path.values())

    @property
    def paths(self) -> list[str]:
        """All paths, in the order of their registration."""
        return [*self._by_path, *([CONVERT_PATH] if self.conversions else [])]

    def find(self, path: str) -> Webhook | None:
        """Return the admission webhook at a path; None if the path has none."""
        return self._by_path.get(path)

    def add(
        self,
        action: Action,
        model: type[Any],
        function: Callable[[Any], Any],
        *,
        operations: Iterable[str],
        path: str,
        options: WebhookOptions,
    ) -> None:
        """Add an admission webhook.

        Raises:
            TypeError: The class has no kind, or the function is not callable.
            ValueError: The path already has a webhook, or an operation is unknown.
        """
        check_class(model)
        check_function(f"the function of {action}", function)
        wanted = tuple(operations)
        if not wanted or not set(wanted).issubset(OPERATIONS):
            raise ValueError(f"operations must be some of {', '.join(OPERATIONS)}, not {wanted}")
        path = path or _default_path(action, model)
        if not path.startswith("/"):
            raise ValueError(f"path must start with a slash, not {path!r}")
        if path in self._by_path or path == CONVERT_PATH:
            raise ValueError(f"{path} already has a webhook; pass another path=...")
        self._by_path[path] = Webhook(
            action=action,
            model=model,
            function=function,
            operations=wanted,
            path=path,
            options=options,
        )

    def add_conversion(
        self, source: type[Model], target: type[Model], function: Callable[[Any], Any]
    ) -> None:
        """Add a function that converts objects of one class to another.

        Raises:
            TypeError: A class has no kind, or the function is not callable.
            ValueError: The classes are not two versions of one kind, or already have a function.
        """
        check_class(source)
        check_class(target)
        check_function("the function of convert", function)
        self.conversions.add(Step(source, target, function))


def _default_path(action: Action, model: type[WholeObject]) -> str:
    """Return controller-runtime's path for a kind (webhook/admission: generatePath)."""
    if issubclass(model, Unstructured):
        message = 'a webhook for Unstructured objects needs a path, such as path="/validate"'
        raise ValueError(message)  # noqa: TRY004 - no argument has a wrong type
    gvk = gvk_of(model)
    return f"/{action}-{gvk.group.replace('.', '-')}-{gvk.version}-{gvk.kind.lower()}"
