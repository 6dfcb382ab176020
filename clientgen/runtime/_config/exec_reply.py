"""Reads the answer of a credential plugin.

The answer contains tokens and keys, so no message quotes any part of it.
https://kubernetes.io/docs/reference/config-api/client-authentication.v1/#client-authentication-k8s-io-v1-ExecCredentialStatus
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from ..errors import ConfigError
from .authorization_header import is_header_safe
from .cluster_config import ClientCertificate

_KNOWN_API_VERSION = re.compile(r"client\.authentication\.k8s\.io/v\d{1,2}(alpha|beta)?\d{0,2}")


class _AnswerError(Exception):
    """An answer is invalid. The message never quotes the answer."""


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class ExecAnswer:
    """A plugin's answer. Answers compare by identity: `reject` keeps a newer equal answer."""

    token: str = ""
    certificate: ClientCertificate | None = None
    expires: datetime | None = None


def parse_reply(output: bytes, api_version: str, where: str) -> ExecAnswer:
    """Read the output of a plugin: an ExecCredential of the requested `api_version`.

    Raises:
        ConfigError: the output is not valid. The message does not quote the output.
    """
    try:
        return _read_answer(_read_status(output, api_version), where)
    except _AnswerError as problem:
        raise ConfigError(f"{where} {problem}") from None


def _read_status(output: bytes, api_version: str) -> dict[str, Any]:
    if not output.strip():
        raise _AnswerError("printed nothing; it must print an ExecCredential as JSON")
    try:
        reply: Any = json.loads(output)
    except (ValueError, RecursionError):
        raise _AnswerError("did not print JSON; it must print an ExecCredential") from None
    if not isinstance(reply, dict):
        raise _AnswerError("printed JSON that is not an object; it must print an ExecCredential")
    fields = cast("dict[str, Any]", reply)
    if fields.get("kind") != "ExecCredential":
        raise _AnswerError('printed an object whose kind is not "ExecCredential"')
    version = fields.get("apiVersion")
    if version != api_version:
        is_known = isinstance(version, str) and _KNOWN_API_VERSION.fullmatch(version)
        shown_version = version if is_known else "another apiVersion"
        raise _AnswerError(
            f"printed an ExecCredential of {shown_version}, but {api_version} was requested; "
            "set the apiVersion of `exec` to the version that the plugin supports"
        )
    status = fields.get("status")
    if not isinstance(status, dict):
        raise _AnswerError("printed an ExecCredential without a status")
    return cast("dict[str, Any]", status)


def _read_answer(status: dict[str, Any], where: str) -> ExecAnswer:
    token = _read_text(status, "token").strip()
    certificate = _read_text(status, "clientCertificateData")
    key = _read_text(status, "clientKeyData")
    if not is_header_safe(token):
        raise _AnswerError("returned a token with a character that HTTP headers do not allow")
    if bool(certificate) != bool(key):
        missing = "clientKeyData" if certificate else "clientCertificateData"
        raise _AnswerError(f"returned an incomplete client certificate: {missing} is missing")
    if not token and not certificate:
        raise _AnswerError("returned neither a token nor a client certificate")
    pair = ClientCertificate(certificate.encode(), key.encode(), where) if certificate else None
    return ExecAnswer(token, pair, _read_expiry(_read_text(status, "expirationTimestamp")))


def _read_text(status: dict[str, Any], key: str) -> str:
    value = status.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _AnswerError(f"returned a value for {key} that is not a string")
    return value


def _read_expiry(text: str) -> datetime | None:
    """Return the time at which the answer expires; None if it never expires."""
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise _AnswerError("returned an expirationTimestamp that is not in RFC 3339 format")
    return moment
