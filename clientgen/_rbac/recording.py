"""Recordings: which requests service accounts have made, and their files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import DecodeError, Struct, ValidationError, field, json, structs

from .access import Access
from .callers import Account
from .default_rules import is_free

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_VERSION: Final = 1


class BadRecording(ValueError):  # noqa: N818 - names what was read
    """A text is no recording; the message says why."""


class _Request(Struct, omit_defaults=True, forbid_unknown_fields=True):
    """An access as it stands in a file."""

    verb: str
    group: str = ""
    resource: str = ""
    subresource: str = ""
    namespace: str = ""
    name: str = ""
    path: str = ""


class _File(Struct, forbid_unknown_fields=True):
    version: int
    accounts: dict[str, list[_Request]] = field(default_factory=dict[str, list[_Request]])


class Recording:
    """Requests by service account, each of them once.

    What every service account may do without a role (discovery, reviews of itself) is left out.
    """

    def __init__(self) -> None:
        self._requests: dict[Account, set[Access]] = {}

    def __bool__(self) -> bool:
        return any(self._requests.values())

    def __iter__(self) -> Iterator[tuple[Account, list[Access]]]:
        for account in sorted(self._requests):
            if self._requests[account]:
                yield account, sorted(self._requests[account])

    def add(self, account: Account, *requests: Access) -> None:
        """Take down requests of an account."""
        taken = self._requests.setdefault(account, set())
        taken.update(access for access in requests if not is_free(access))

    def update(self, other: Iterable[tuple[Account, Iterable[Access]]]) -> None:
        """Take over what another recording has."""
        for account, requests in other:
            self.add(account, *requests)

    def of(self, account: Account) -> list[Access]:
        """The requests of an account, sorted."""
        return sorted(self._requests.get(account, ()))

    def to_json(self) -> str:
        """The text of a file; it has a line for each request, so that differences are small."""
        lines = [f'{{"version": {_VERSION}, "accounts": {{']
        accounts = [*self]
        for index, (account, requests) in enumerate(accounts):
            lines.append(f"  {_json_text(str(account))}: [")
            written = [f"    {_json_text(_request(access))}" for access in requests]
            lines += [f"{line}," for line in written[:-1]] + written[-1:]
            lines.append("  ]," if index < len(accounts) - 1 else "  ]")
        return "\n".join([*lines, "}}", ""])

    @classmethod
    def from_json(cls, text: str | bytes) -> Recording:
        """Read the text of a file.

        Raises:
            BadRecording: it is not one.
        """
        try:
            file = json.decode(text, type=_File)
        except ValidationError as error:
            raise BadRecording(f"it is no recording of requests: {error}") from None
        except (DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise BadRecording(f"it is not JSON: {error}") from None
        if file.version != _VERSION:
            raise BadRecording(f"it has version {file.version}, known is {_VERSION}: record again")
        recording = cls()
        for name, requests in file.accounts.items():
            account = _account(name)
            for request in requests:
                recording.add(account, _access(request))
        return recording


def _json_text(value: object) -> str:
    return json.encode(value).decode()


def _request(access: Access) -> _Request:
    return _Request(**{name: getattr(access, name) for name in _Request.__struct_fields__})


def _access(request: _Request) -> Access:
    if not request.verb or bool(request.path) == bool(request.resource):
        raise BadRecording("a request needs a verb, and either a resource or a path")
    return Access(**structs.asdict(request))


def _account(name: str) -> Account:
    try:
        return Account.of(name)
    except ValueError as error:
        raise BadRecording(str(error)) from None
