"""Tokens of service accounts: issued by TokenRequest, recognised by TokenReview.

They have the form and the claims of a real server's (JSON Web Tokens, RFC 7519), but are signed
with a secret of this server instead of a key pair, so nobody else can check them.
https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/#bound-service-account-tokens
"""

from __future__ import annotations

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as Base64Error
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from msgspec import DecodeError, json

from clientgen._apimachinery.failures import (
    Cause,
    bad_request,
    conflict,
    invalid,
    invalid_value,
    not_found,
)
from clientgen._json import part
from clientgen._rbac.callers import Caller, service_account_groups

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..object_reader import ObjectReader

ISSUER: Final = "https://kubernetes.default.svc"
"""The issuer of the tokens, and their audience by default."""

_GROUP: Final = "authentication.k8s.io"
_KIND: Final = "TokenRequest"
_CLAIMS: Final = "kubernetes.io"
_EXTRA: Final = "authentication.kubernetes.io"
_HEADER: Final = {"alg": "HS256", "typ": "JWT"}
_DEFAULT_SECONDS: Final = 3600
_MIN_SECONDS: Final = 10 * 60
_MAX_SECONDS: Final = 2**32
_WARN_SECONDS: Final = 3600 + 7
_EXTENDED_SECONDS: Final = 365 * 24 * 3600
_DELETION_LEEWAY: Final = timedelta(minutes=1)
_BOUND: Final = {"Pod": "pods", "Secret": "secrets", "Node": "nodes"}
_INVALID: Final = "invalid bearer token"


def timestamp(time: datetime) -> str:
    """A time as it stands in objects."""
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class _Refused(Exception):  # noqa: N818 - an answer, not a defect
    """A token that is not valid. The text says why; it is empty for tokens of other issuers."""


@dataclass(frozen=True, slots=True)
class _Bound:
    kind: str
    name: str
    uid: str


class Tokens:
    """Issues and recognises the tokens of one server."""

    def __init__(
        self,
        secret: bytes,
        issuer: str = ISSUER,
        new_id: Callable[[], str] = lambda: str(uuid4()),
    ) -> None:
        self.secret = secret
        self.issuer = issuer
        self._new_id = new_id

    def __repr__(self) -> str:
        return f"Tokens(issuer={self.issuer!r})"

    # ------------------------------------------------------------------------------ issue

    def issue(
        self, namespace: str, name: str, request: Mapping[str, Any], reader: ObjectReader
    ) -> dict[str, Any]:
        """Answer a TokenRequest for the service account `name`.

        Raises:
            Failure: 404 for an account or bound object that is not there, 422 for a lifetime that
                is not allowed or another account's name, 409 for another uid, 400 for an object
                that tokens cannot be bound to.
        """
        metadata = dict(part(request, "metadata"))
        if metadata.get("name", name) not in ("", name):
            why = "must match the service account name if specified"
            raise _invalid(name, invalid_value("metadata.name", metadata["name"], why))
        account = reader.get("", "serviceaccounts", namespace, name)
        if account is None:
            raise not_found("", "serviceaccounts", name)
        spec = self._spec(part(request, "spec"))
        uid: str = account["metadata"]["uid"]
        if metadata.get("uid", uid) not in ("", uid):
            why = (
                f"the UID in the token request ({metadata['uid']}) does not match "
                f"the UID of the service account ({uid})"
            )
            raise conflict(_GROUP, _KIND, name, why)
        reference = spec["boundObjectRef"]
        bound = _bound_object(namespace, name, reference, reader) if reference is not None else None
        claims = self._claims(account, spec, bound, reader)
        expires = reader.now() + timedelta(seconds=spec["expirationSeconds"])
        metadata |= {"name": name, "namespace": namespace, "uid": uid}
        metadata["creationTimestamp"] = timestamp(reader.now())
        status = {"token": self._signed(claims), "expirationTimestamp": timestamp(expires)}
        about = {"kind": _KIND, "apiVersion": f"{_GROUP}/v1"}
        return {**about, "metadata": metadata, "spec": spec, "status": status}

    def _spec(self, given: Mapping[str, Any]) -> dict[str, Any]:
        seconds = given.get("expirationSeconds")
        seconds = _DEFAULT_SECONDS if seconds is None else seconds
        why = ""
        if seconds < _MIN_SECONDS:
            why = "may not specify a duration less than 10 minutes"
        elif seconds > _MAX_SECONDS:
            why = "may not specify a duration larger than 2^32 seconds"
        if why:
            raise _invalid("", invalid_value("spec.expirationSeconds", seconds, why))
        return {
            "audiences": given.get("audiences") or [self.issuer],
            "expirationSeconds": seconds,
            "boundObjectRef": given.get("boundObjectRef"),
        }

    def _claims(
        self,
        account: Mapping[str, Any],
        spec: Mapping[str, Any],
        bound: Mapping[str, Any] | None,
        reader: ObjectReader,
    ) -> dict[str, Any]:
        metadata = account["metadata"]
        issued, seconds = int(reader.now().timestamp()), spec["expirationSeconds"]
        own: dict[str, Any] = {
            "namespace": metadata["namespace"],
            "serviceaccount": {"name": metadata["name"], "uid": metadata["uid"]},
        }
        if bound is not None:
            own |= _bound_claims(bound, reader)
        extended = seconds == _WARN_SECONDS and "pod" in own and spec["audiences"] == [self.issuer]
        if extended:
            # Kubelets ask for this lifetime; clients that never read the token again live on.
            own["warnafter"] = issued + seconds
        return {
            "aud": spec["audiences"],
            "exp": issued + (_EXTENDED_SECONDS if extended else seconds),
            "iat": issued,
            "iss": self.issuer,
            "jti": self._new_id(),
            _CLAIMS: own,
            "nbf": issued,
            "sub": f"system:serviceaccount:{metadata['namespace']}:{metadata['name']}",
        }

    def _signed(self, claims: Mapping[str, Any]) -> str:
        content = f"{_encoded(json.encode(_HEADER))}.{_encoded(json.encode(claims))}"
        return f"{content}.{self._signature(content)}"

    def _signature(self, content: str) -> str:
        return _encoded(hmac.digest(self.secret, content.encode(), "sha256"))

    # ----------------------------------------------------------------------------- review

    def caller(self, token: str, reader: ObjectReader) -> Caller | None:
        """Return the caller with this token, for this server itself; None if it is invalid."""
        try:
            return self._read(token, (self.issuer,), reader)[0]
        except _Refused:
            return None

    def review(self, token: str, audiences: Sequence[str], reader: ObjectReader) -> dict[str, Any]:
        """The status of a TokenReview."""
        try:
            caller, audience = self._read(token, audiences or (self.issuer,), reader)
        except _Refused as refused:
            why = str(refused)
            return {"user": {}, "error": f"[{_INVALID}, {why}]" if why else _INVALID}
        return {"authenticated": True, "user": caller.user_info(), "audiences": audience}

    def _read(
        self, token: str, audiences: Sequence[str], reader: ObjectReader
    ) -> tuple[Caller, list[str]]:
        claims = self._checked_claims(token.strip())
        common = [each for each in audiences if each in claims["aud"]]
        if not common:
            why = f"is invalid for the target audiences {_quoted(audiences)}"
            raise _Refused(f"token audiences {_quoted(claims['aud'])} {why}")
        if reader.now().timestamp() >= claims["exp"]:
            raise _Refused("service account token has expired")
        own = claims[_CLAIMS]
        _check_account(own, reader)
        for bound in _bound_of(own):
            _check_bound(own["namespace"], bound, reader)
        groups = (*service_account_groups(own["namespace"]), "system:authenticated")
        return Caller(claims["sub"], own["serviceaccount"]["uid"], groups, _extra(claims)), common

    def _checked_claims(self, token: str) -> dict[str, Any]:
        content, _, signature = token.rpartition(".")
        header, _, payload = content.partition(".")
        try:
            claims = json.decode(_decoded(payload), type=dict[str, Any])
            _decoded(header)
        except (Base64Error, DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise _Refused from error
        if claims.get("iss") != self.issuer or not signature:
            raise _Refused
        if not hmac.compare_digest(signature.encode(), self._signature(content).encode()):
            raise _Refused("go-jose/go-jose: error in cryptographic primitive")
        return claims


def _invalid(name: str, *causes: Cause) -> Exception:
    return invalid(_GROUP, _KIND, name, causes)


def _encoded(data: bytes) -> str:
    return urlsafe_b64encode(data).decode().rstrip("=")


def _decoded(text: str) -> bytes:
    return urlsafe_b64decode(text.encode("ascii", "replace") + b"=" * (-len(text) % 4))


def _quoted(texts: Sequence[str]) -> str:
    return f"[{' '.join(json.encode(text).decode() for text in texts)}]"


def _bound_object(
    namespace: str, account: str, reference: Mapping[str, Any], reader: ObjectReader
) -> dict[str, Any]:
    """The object a token is to be bound to, with its kind."""
    kind, api_version = reference.get("kind") or "", reference.get("apiVersion") or ""
    name, uid = reference.get("name") or "", reference.get("uid")
    plural = _BOUND.get(kind)
    if plural is None or "/" in api_version:
        shown = api_version if "/" in api_version else f"/{api_version}"
        raise bad_request(f"cannot bind token to object of type {shown}, Kind={kind}")
    if not name:
        raise bad_request("Name parameter required.")
    bound = reader.get("", plural, "" if kind == "Node" else namespace, name)
    if bound is None:
        raise not_found("", plural, name)
    if uid and uid != bound["metadata"]["uid"]:
        why = (
            f"the UID in the bound object reference ({uid}) does not match the UID in record. "
            "The object might have been deleted and then recreated"
        )
        raise conflict("", kind, name, why)
    if kind == "Pod" and part(bound, "spec").get("serviceAccountName", "") != account:
        raise bad_request(
            f'cannot bind token for serviceaccount "{account}" to pod running with '
            "different serviceaccount name."
        )
    return {**bound, "kind": kind}


def _bound_claims(bound: Mapping[str, Any], reader: ObjectReader) -> dict[str, Any]:
    metadata = bound["metadata"]
    claims = {bound["kind"].lower(): {"name": metadata["name"], "uid": metadata["uid"]}}
    host = part(bound, "spec").get("nodeName") if bound["kind"] == "Pod" else None
    if host:
        node = reader.get("", "nodes", "", host)
        claims["node"] = {"name": host} | ({"uid": node["metadata"]["uid"]} if node else {})
    return claims


def _bound_of(own: Mapping[str, Any]) -> list[_Bound]:
    """Return the object to which a token is bound. The node of a Pod is a claim only."""
    kinds = ("Secret", "Pod") if "pod" in own else ("Secret", "Node")
    return [_Bound(kind, **own[kind.lower()]) for kind in kinds if kind.lower() in own]


def _check_account(own: Mapping[str, Any], reader: ObjectReader) -> None:
    namespace, claimed = own["namespace"], own["serviceaccount"]
    account = reader.get("", "serviceaccounts", namespace, claimed["name"])
    if account is None:
        raise _Refused(f'serviceaccounts "{claimed["name"]}" not found')
    if _is_gone(account, reader):
        raise _Refused(f"service account {namespace}/{claimed['name']} has been deleted")
    uid = account["metadata"]["uid"]
    if uid != claimed["uid"]:
        raise _Refused(f"service account UID ({uid}) does not match claim ({claimed['uid']})")


def _check_bound(namespace: str, bound: _Bound, reader: ObjectReader) -> None:
    home = "" if bound.kind == "Node" else namespace
    obj = reader.get("", _BOUND[bound.kind], home, bound.name)
    if obj is None or _is_gone(obj, reader):
        raise _Refused("service account token has been invalidated")
    uid, kind = obj["metadata"]["uid"], bound.kind.lower()
    if uid != bound.uid:
        claim = f"service account {kind} ref claim ({bound.uid})"
        raise _Refused(f"{kind} UID ({uid}) does not match {claim}")


def _is_gone(obj: Mapping[str, Any], reader: ObjectReader) -> bool:
    deleted = obj["metadata"].get("deletionTimestamp")
    return bool(deleted) and datetime.fromisoformat(deleted) + _DELETION_LEEWAY < reader.now()


def _extra(claims: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    own = claims[_CLAIMS]
    extra: dict[str, tuple[str, ...]] = {f"{_EXTRA}/credential-id": (f"JTI={claims['jti']}",)}
    for kind in ("node", "pod"):
        for about, value in own.get(kind, {}).items():
            extra[f"{_EXTRA}/{kind}-{about}"] = (value,)
    return extra
