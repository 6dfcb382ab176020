"""Log records as JSON, with the reconciliation that wrote them.

The keys `ts`, `level`, `logger`, `msg`, `error` and `stacktrace` are those of controller-runtime's
logger (pkg/log/zap, for production).
"""

from __future__ import annotations

import json
import logging
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

RECONCILE_FIELDS: Final[ContextVar[Mapping[str, str]]] = ContextVar("RECONCILE_FIELDS")
"""The controller, the object, its cluster and the id of the reconciliation that runs."""

# What every record has. All other attributes were given with `extra=`.
_STANDARD: Final = frozenset({*vars(logging.makeLogRecord({})), "message", "asctime", "taskName"})


class JsonFormatter(logging.Formatter):
    """Formats log records as JSON, one object in each line.

        handler = logging.StreamHandler()
        handler.setFormatter(JsonFormatter())
        logging.basicConfig(level=logging.INFO, handlers=[handler])

    Each line has `ts` (the time in UTC, RFC 3339), `level` (`info`), `logger` (the name of the
    logger) and `msg`. A record with an exception has `error` and `stacktrace`. A record that is
    logged during a reconciliation has `controller`, `object` and `reconcile_id`, and in a fleet
    `cluster`, whichever logger it is from. Values given with `extra=` follow, unless they have one
    of these names. A value that JSON cannot hold becomes a string.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of one record, without the line break."""
        extra = {name: value for name, value in vars(record).items() if name not in _STANDARD}
        fields = {**RECONCILE_FIELDS.get({}), **extra}
        line: dict[str, Any] = {
            "ts": _timestamp(record.created),
            "level": record.levelname.lower(),
            "logger": record.name,
            "msg": _without_prefix(record.getMessage(), fields),
            **self._failure(record),
        }
        line = {**line, **fields, **line}  # no field takes the place of these keys
        try:
            return json.dumps(line, default=str)
        except (TypeError, ValueError, RecursionError):  # a circle, or a key that is no string
            return json.dumps({key: str(value) for key, value in line.items()})

    def _failure(self, record: logging.LogRecord) -> dict[str, str]:
        """Return the exception of a record and its traceback."""
        if record.exc_info is None or record.exc_info[1] is None:
            return {}
        error = record.exc_info[1]
        message = f"{type(error).__name__}: {error}".removesuffix(": ")
        return {"error": message, "stacktrace": self.formatException(record.exc_info)}


def prefix_of(fields: Mapping[str, Any]) -> str:
    """Return the text with which the records of a reconciliation begin."""
    return f"{fields['controller']} {title_of(fields)} {fields['reconcile_id']}"


def title_of(fields: Mapping[str, Any]) -> str:
    """Return the object of a reconciliation, and its cluster in a fleet, in messages."""
    cluster = fields.get("cluster")
    return f"{fields['object']} in {cluster}" if cluster else str(fields["object"])


def _without_prefix(message: str, fields: Mapping[str, Any]) -> str:
    """Return a message without the fields at its beginning, which the line has as keys."""
    return message.removeprefix(f"{prefix_of(fields)}: ") if "reconcile_id" in fields else message


def _timestamp(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")[:-6] + "Z"
