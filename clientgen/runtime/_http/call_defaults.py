"""Defaults of the calls of a client: `k.with_(namespace="shop", dry_run=True)`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

from .._models.arguments import type_of, unexpected_option
from .path_segments import check_segment

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .call_options import FieldValidation

# client-go: ValidateFieldManager in apimachinery/pkg/apis/meta/v1/validation
_MAX_FIELD_MANAGER = 128
_FIELD_VALIDATIONS = ("Ignore", "Warn", "Strict")
WRITE_DEFAULTS = ("field_manager", "dry_run", "field_validation")
DELETE_DEFAULTS = ("dry_run",)


class CallDefaults(TypedDict, total=False):
    """The options of `with_`: what calls use that do not say otherwise."""

    namespace: str
    """The namespace of objects that have none."""
    field_manager: str
    """The owner of the fields that are set."""
    dry_run: bool
    """Whether writes run all checks, but store nothing."""
    field_validation: FieldValidation
    """How the server treats unknown fields: `Strict`, `Warn` or `Ignore`."""
    timeout: float | None
    """The seconds that a call may take; None for no limit."""


def with_defaults(options: Mapping[str, Any], defaults: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the options of a call, with a default for each that is missing or None."""
    if not defaults:
        return options
    return {**options, **{k: v for k, v in defaults.items() if options.get(k) is None}}


def check_defaults(defaults: Mapping[str, Any]) -> None:
    """Check the arguments of `with_`.

    Raises:
        TypeError: there is no such default, or a value has a wrong type.
        ValueError: a value is not valid.
    """
    for name, value in defaults.items():
        check = _CHECKS.get(name)
        if check is None:
            raise unexpected_option(name, _CHECKS)
        check(name, value)


def _check_namespace(name: str, value: object) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{name} is a string, not {type_of(value)}")
    check_segment(name, value)


def _check_field_manager(name: str, value: object) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{name} is a string, not {type_of(value)}")
    if not 0 < len(value) <= _MAX_FIELD_MANAGER or not value.isprintable():
        raise ValueError(
            f"{name} has 1 to {_MAX_FIELD_MANAGER} printable characters, which {value!r} has not"
        )


def _check_dry_run(name: str, value: object) -> None:
    if not isinstance(value, bool):
        raise TypeError(f"{name} is True or False, not {type_of(value)}")


def _check_field_validation(name: str, value: object) -> None:
    if value not in _FIELD_VALIDATIONS:
        raise ValueError(f"{name} is one of {', '.join(_FIELD_VALIDATIONS)}, not {value!r}")


def _check_timeout(name: str, value: object) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{name} is a number of seconds, not {type_of(value)}")
    if not value >= 0:  # nan is not
        raise ValueError(f"{name} is a number of seconds, not {value}")


_CHECKS = {
    "namespace": _check_namespace,
    "field_manager": _check_field_manager,
    "dry_run": _check_dry_run,
    "field_validation": _check_field_validation,
    "timeout": _check_timeout,
}
