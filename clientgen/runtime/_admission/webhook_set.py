"""The webhooks of a program: their functions by path, and where the paths come from."""

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
    from .._models.unstructured import Object
    from .webhook_options import WebhookOptions

__all__ = ["CONVERT_PATH", "USUAL_OPERATIONS", "Action", "Webhook", "WebhookSet"]

Action: TypeAlias = Literal["validate", "mutate"]

CONVERT_PATH: Final = "/convert"
USUAL_OPERATIONS: Final = ("CREATE", "UPDATE")


class Webhook(Struct, frozen=True, kw_only=True):
    """An admission function, and what its configuration says."""

    action: Action
    model: type[Object]
    function: Callable[[Any], Any]
    operations: tuple[str, ...]
    path: str
    options: WebhookOptions

    @property
    def title(self) -> str:
        """The function for logs and messages."""
        return str(getattr(self.function, "__name__", type(self.function).__name__))


class WebhookSet:
    """The webhooks of a program."""

    def __init__(self) -> None:
        self._by_path: dict[str, Webhook] = {}
        self.conversions = Conversions()

    @property
    def webhooks(self) -> list[Webhook]:
        """The admission webhooks, in the order they were added."""
        return list(self._by_path.values())

    @property
    def paths(self) -> list[str]:
        """All paths, in the order they were added."""
        return [*self._by_path, *([CONVERT_PATH] if self.conversions else [])]

    def find(self, path: str) -> Webhook | None:
        """Return the admission webhook at a path."""
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
            TypeError: The class is of no kind, or the function cannot be called.
            ValueError: The path has a webhook already, or an operation is not known.
        """
        check_class(model)
        check_function(f"the function of {action}", function)
        wanted = tuple(operations)
        if not wanted or not set(wanted).issubset(OPERATIONS):
            raise ValueError(f"operations are some of {', '.join(OPERATIONS)}, not {wanted}")
        path = path or _usual_path(action, model)
        if not path.startswith("/"):
            raise ValueError(f"the path of a webhook starts with a slash, not {path!r}")
        if path in self._by_path or path == CONVERT_PATH:
            raise ValueError(f"{path} has a webhook already; give this one another path=...")
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
            TypeError: A class is of no kind, or the function cannot be called.
            ValueError: They are not two versions of a kind, or have a function already.
        """
        check_class(source)
        check_class(target)
        check_function("the function of convert", function)
        self.conversions.add(Step(source, target, function))


def _usual_path(action: Action, model: type[Object]) -> str:
    """Return controller-runtime's path for a kind (webhook/admission: generatePath)."""
    if issubclass(model, Unstructured):
        message = 'a webhook for objects without a class needs a path: path="/validate"'
        raise ValueError(message)  # noqa: TRY004 - nothing is of a wrong type
    gvk = gvk_of(model)
    return f"/{action}-{gvk.group.replace('.', '-')}-{gvk.version}-{gvk.kind.lower()}"
