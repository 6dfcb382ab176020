"""Roles for a Helm chart: with the names of the release instead of those of the tests."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final

from clientgen._problems import ClientgenError, Problem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from .callers import Account

_NAME: Final = "{{ .Release.Name }}"
_NAMESPACE: Final = "{{ .Release.Namespace }}"
# Two releases may have one name, in two namespaces.
_CLUSTER_NAME: Final = f"{_NAMESPACE}.{_NAME}"
_CLUSTER_KINDS: Final = ("ClusterRole", "ClusterRoleBinding")


def is_in_chart(path: Path) -> bool:
    """Return whether a file is a template of a Helm chart."""
    folder = path.absolute().parent
    return folder.name == "templates" and (folder.parent / "Chart.yaml").is_file()


def for_chart(
    path: Path, objects: Sequence[Mapping[str, Any]], accounts: Sequence[Account]
) -> list[dict[str, Any]]:
    """Return roles with the names of a release.

    Args:
        path: The file to write, for messages.
        objects: The roles of one ServiceAccount.
        accounts: The ServiceAccounts of the tests.

    Raises:
        ClientgenError: The tests use several ServiceAccounts: a release has one name.
    """
    if len(accounts) != 1:
        what = f"a chart has one ServiceAccount, but the tests use {len(accounts)}"
        names = ", ".join(map(str, accounts))
        raise ClientgenError([Problem(str(path), f"{what}: {names}")])
    return [_renamed(each, accounts[0]) for each in objects]


def _renamed(obj: Mapping[str, Any], account: Account) -> dict[str, Any]:
    """Return an object with the names of a release."""
    made: dict[str, Any] = deepcopy(dict(obj))
    own = _CLUSTER_NAME if made["kind"] in _CLUSTER_KINDS else _NAME
    _rename(made["metadata"], account, own)
    for subject in made.get("subjects", ()):
        _rename(subject, account, _NAME)
    role = made.get("roleRef")
    if role is not None:
        _rename(role, account, _CLUSTER_NAME if role["kind"] in _CLUSTER_KINDS else _NAME)
    return made


def _rename(place: dict[str, Any], account: Account, name: str) -> None:
    """Replace the name and the namespace of an account, where they are."""
    if place["name"] == account.name:
        place["name"] = name
    if place.get("namespace") == account.namespace:
        place["namespace"] = _NAMESPACE
