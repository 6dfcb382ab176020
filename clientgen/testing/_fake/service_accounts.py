"""Service accounts of tests: their requests are recorded, and may be authorized by roles.

`FakeCluster(rbac=...)` sets the roles of one cluster, `pytest --under-rbac` the roles of all other
clusters.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from clientgen._rbac.access import Access
from clientgen._rbac.callers import Account, Witness
from clientgen._rbac.recording import Recording
from clientgen._rbac.role_review import shown
from clientgen._rbac.roles import read_roles, roles_of
from clientgen.runtime._manifests.manifest_documents import Manifest
from clientgen.runtime._models.model import Model
from clientgen.runtime._models.model_codec import to_dict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from clientgen._rbac.roles import Roles
    from clientgen.runtime._controllers.declared_rights import DeclaredRight

    from .._apiserver.server import ApiServer

RoleSource: TypeAlias = "Path | str | Iterable[Model | Mapping[str, Any]]"


class Run:
    """The roles and records that all clusters of a test run share.

    Attributes:
        roles: the roles for clusters that have no roles of their own; None allows every request.
        recording: the requests of all service accounts.
        denied: the refused requests, each with the first test that made it.
    """

    def __init__(self, roles: Roles | None = None) -> None:
        self.roles = roles
        self.recording = Recording()
        self.denied: dict[tuple[Account, Access], str] = {}

    def record_denied(self, account: Account, access: Access) -> None:
        """Record a refused request."""
        test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]
        self.denied.setdefault((account, access), test)


_runs: list[Run] = []


def begin_run(run: Run) -> None:
    """Start recording the requests of new clusters."""
    _runs.append(run)


def end_run(run: Run) -> None:
    """Stop recording for a run."""
    _runs.remove(run)


class ServiceAccounts:
    """The service accounts of one cluster whose requests are recorded.

    Args:
        server: the server of the cluster.
        rbac: the roles that authorize the service accounts; None for the roles of the test run.
        on_refusal: called with a sentence when the roles of the test run refuse a request.

    Raises:
        ManifestError: a role cannot be read.
    """

    def __init__(
        self,
        server: ApiServer,
        rbac: RoleSource | None,
        on_refusal: Callable[[str], object] | None = None,
    ) -> None:
        self._server = server
        self._runs = tuple(_runs)
        self._on_refusal = on_refusal
        roles = self._roles_of_run() if rbac is None else read_role_source(rbac)
        self._is_restricted = roles is not None
        self._uses_roles_of_run = rbac is None
        for each in roles.objects if roles else ():
            server.put_role(each)

    def _roles_of_run(self) -> Roles | None:
        roles = next((run.roles for run in self._runs if run.roles), None)
        # A server of another spec may not serve the RBAC kinds.
        return roles if roles and all(map(self._server.cluster.serves, roles.objects)) else None

    def user(self, service_account: str) -> str:
        """Return the user name of `namespace/name`, and record its requests from now on.

        A missing namespace is created.

        Raises:
            ValueError: `service_account` is not `namespace/name`.
        """
        account = Account.of(service_account)
        self._server.make_namespace(account.namespace)

        def record_access(access: Access, allowed: bool) -> None:
            # A cluster with its own roles tests refusals, so its refusals do not fail the run.
            for run in self._runs if allowed or self._uses_roles_of_run else ():
                run.recording.add(account, access)
                if not allowed:
                    run.record_denied(account, access)
                    if self._on_refusal is not None:
                        refused = f"ServiceAccount {account} was refused: {shown(access)}"
                        self._on_refusal(refused)

        witness = Witness(record_access, is_restricted=self._is_restricted)
        self._server.cluster.witnesses.setdefault(account.user, witness)
        return account.user

    def declare(self, service_account: str, rights: Iterable[DeclaredRight]) -> None:
        """Record what the declarations of a controller need, as if it had been requested."""
        account = Account.of(service_account)
        for each in rights:
            access = Access(each.verb, each.resource, each.group, each.subresource, each.namespace)
            for run in self._runs:
                run.recording.add(account, access)


def read_role_source(source: RoleSource) -> Roles:
    """Read roles from files, folders, texts or objects.

    Raises:
        ManifestError: a document cannot be read, or the source contains no role.
    """
    if isinstance(source, (str, Path)):
        return read_roles(_path_or_text(source))
    return roles_of(
        Manifest(f"rbac[{index}]", 0, 0, None, _as_dict(each)) for index, each in enumerate(source)
    )


def _path_or_text(source: str | Path) -> str | Path:
    is_text = isinstance(source, str) and ("\n" in source or source.lstrip().startswith("{"))
    return source if is_text else Path(source)


def _as_dict(value: object) -> dict[str, Any]:
    if not isinstance(value, (Model, dict)):
        raise TypeError(f"a role must be a model or a dict, not {value!r}")
    return to_dict(cast("Model | dict[str, Any]", value))
