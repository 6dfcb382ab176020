"""The pytest options for RBAC: record requests of service accounts, derive roles, check roles.

`pytest_plugin` imports this module if an option for RBAC is used. Workers of pytest-xdist send
their records to the main process, which checks and writes.
"""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import pytest

from clientgen._problems import ClientgenError
from clientgen._rbac.access import Access
from clientgen._rbac.callers import Account
from clientgen._rbac.derivation import Needs, Style, derived_rights, derived_roles
from clientgen._rbac.helm_names import for_chart, is_in_chart
from clientgen._rbac.recording import Recording
from clientgen._rbac.rights import rules_of_rights
from clientgen._rbac.role_files import ForeignFile, check_ours, write_roles, write_text
from clientgen._rbac.role_review import Unbound, missing_rights, review, shown
from clientgen._rbac.roles import read_roles
from clientgen._rbac.sources import needs_of, read_markers

from .service_accounts import Run, begin_run, end_run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clientgen._rbac.rbac_markers import Marker
    from clientgen._rbac.roles import Roles

_WORKER_OUTPUT_KEY: Final = "clientgen_rbac"
_EXIT_FAILED: Final = 1
_MAX_NAMES_SHOWN: Final = 10
_PARTIAL_HINT: Final = " (--rbac-partial allows this)"
_NO_ACCOUNT_HINT: Final = (
    "no test has made a request as a service account; "
    'use cluster.clientset(Clientset, service_account="namespace/name")'
)


class RbacRun:
    """The hooks of a test run with options for RBAC.

    Raises:
        pytest.UsageError: an option names a file that cannot be used.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._role_paths = [Path(each) for each in config.option.rbac or ()]
        self._record_path = _path(config, "rbac_record")
        self._minimal_path = _path(config, "rbac_minimal")
        # With --rbac, all requests must be allowed, so that the derived roles cover them.
        under = None if self._role_paths else _path(config, "under_rbac")
        options: Any = config.option
        named = chain.from_iterable(each.split(",") for each in options.rbac_names)
        self._style = Style(options.rbac_namespaced, frozenset(named))
        self._is_worker = hasattr(config, "workerinput")
        self._markers: list[Marker] = []
        self._minimal_roles: Roles | None = None
        try:
            roles = read_roles(under) if under else None
            if not self._is_worker:
                self._minimal_roles = read_roles(self._minimal_path) if self._minimal_path else None
                self._markers = read_markers(map(Path, options.rbac_sources))
                for path in self._role_paths:
                    check_ours(path)
        except (ValueError, OSError, ClientgenError) as error:
            raise pytest.UsageError(str(error)) from None
        self._under_path = under
        self._run = Run(roles)
        self._run_tests: set[str] = set()
        self._skipped: dict[str, None] = {}
        self._deselected = 0
        self._lost_workers = 0
        self._lines: list[str] = []

    # ---- hooks of pytest ----------------------------------------------------------------------

    def pytest_sessionstart(self) -> None:
        """Start recording."""
        begin_run(self._run)

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        """Count tests that were not selected."""
        self._deselected += len(items)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note skipped modules."""
        if report.skipped:
            self._skipped[report.nodeid] = None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note which tests have run and which were skipped."""
        if report.skipped and not hasattr(report, "wasxfail"):
            self._skipped[report.nodeid] = None
        elif report.when == "call":
            self._run_tests.add(report.nodeid)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Add the records of a pytest-xdist worker."""
        output = getattr(node, "workeroutput", {}).get(_WORKER_OUTPUT_KEY)
        if output is None:
            self._lost_workers += 1
            return
        self._run.recording.update(Recording.from_json(output["recording"]))
        for name, access, test in output["denied"]:
            self._run.denied.setdefault((Account.of(name), Access(*access)), test)
        self._deselected = max(self._deselected, output["deselected"])

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Write the files, and fail the run if a role is wrong or a request was refused."""
        end_run(self._run)
        if self._is_worker:
            output = cast("dict[str, Any]", cast("Any", self._config).workeroutput)
            output[_WORKER_OUTPUT_KEY] = self._as_output()
        elif not self._config.option.collectonly and not self._write_and_check(exitstatus):
            session.exitstatus = exitstatus or _EXIT_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the results."""
        if self._lines:
            terminalreporter.section("RBAC")
            for line in self._lines:
                terminalreporter.write_line(line)

    def _as_output(self) -> dict[str, Any]:
        parts = Access.__slots__
        denied = [
            (str(account), [getattr(access, each) for each in parts], test)
            for (account, access), test in self._run.denied.items()
        ]
        recording = self._run.recording.to_json()
        return {"recording": recording, "denied": denied, "deselected": self._deselected}

    # ---- conclusions --------------------------------------------------------------------------

    def _write_and_check(self, exitstatus: int) -> bool:
        """Write the files and check the roles. Returns False if a role or a file is wrong."""
        is_good = self._report_denied()
        if not (self._role_paths or self._record_path or self._minimal_path):
            return is_good
        why = self._why_incomplete(exitstatus)
        if why:
            wanted = [str(each) for each in (*self._role_paths, self._record_path) if each]
            what = (
                f"{' and '.join(wanted)} not written"
                if wanted
                else f"{self._minimal_path} not checked"
            )
            self._lines.append(f"{what}: {why}")
            return False
        try:
            if self._record_path:
                self._report_file(
                    self._record_path, write_text(self._record_path, self._run.recording.to_json())
                )
            return self._derive() & self._review() & is_good
        except (ForeignFile, ClientgenError, OSError) as error:
            self._lines.append(str(error))
            return False

    def _why_incomplete(self, exitstatus: int) -> str:
        """Return why requests may be missing from the recording; empty if it is complete."""
        is_partial = self._config.option.rbac_partial
        selected = not self._deselected and not any("::" in each for each in self._config.args)
        skipped = ", ".join([*self._skipped][:_MAX_NAMES_SHOWN])
        reasons = (
            (exitstatus != 0 and self._run_tests, "not all tests passed"),
            (not self._run_tests, "no test has run"),
            (self._lost_workers, "a worker of pytest-xdist was lost"),
            (not self._run.recording, _NO_ACCOUNT_HINT),
            (not selected and not is_partial, f"not all tests were selected{_PARTIAL_HINT}"),
            (skipped and not is_partial, f"tests were skipped{_PARTIAL_HINT}: {skipped}"),
        )
        return next((why for holds, why in reasons if holds), "")

    def _needs(self) -> dict[Account, Needs]:
        return needs_of(self._run.recording, self._markers, None)

    def _derive(self) -> bool:
        needs = self._needs() if self._role_paths else {}
        objects = derived_roles(needs, self._style)
        written = {
            path: for_chart(path, objects, [*needs]) if is_in_chart(path) else objects
            for path in self._role_paths
        }
        for path, wanted in written.items():
            self._report_file(path, write_roles(path, wanted))
        return True

    def _report_file(self, path: Path, changed: bool) -> None:
        self._lines.append(f"{path}: {'written' if changed else 'up to date'}")

    def _review(self) -> bool:
        if not self._minimal_roles:
            return True
        findings = review(self._minimal_roles, self._needs(), self._style)
        self._lines += map(str, findings)
        if not findings:
            self._lines.append(
                f"{self._minimal_path}: everything is needed, and nothing is missing"
            )
        return not findings

    def _report_denied(self) -> bool:
        """Report refused requests and the rules that would allow them.

        Returns True if there are none.
        """
        denied: dict[Account, list[Access]] = {}
        for (account, access), test in sorted(self._run.denied.items(), key=lambda item: item[0]):
            denied.setdefault(account, []).append(access)
            where = f"  ({test})" if test else ""
            self._lines.append(f"denied: ServiceAccount {account}: {shown(access)}{where}")
        for account, requests in denied.items():
            self._lines += self._unbound_lines(account, requests)
            for namespace, rights in derived_rights(account, Needs(requests), self._style).items():
                role = f"a Role in {namespace}" if namespace else "a ClusterRole"
                for rule in rules_of_rights(rights):
                    self._lines.append(
                        f"{self._under_path} lacks, in {role} of {account}: {_rule_line(rule)}"
                    )
        return not denied

    def _unbound_lines(self, account: Account, requests: list[Access]) -> list[str]:
        found = (
            missing_rights(self._run.roles, {account: Needs(requests)}) if self._run.roles else ()
        )
        return [str(each) for each in found if isinstance(each, Unbound)]


def _rule_line(rule: dict[str, list[str]]) -> str:
    """Format a rule as one line of YAML."""
    lists = {key: ", ".join(each or '""' for each in values) for key, values in rule.items()}
    return "{" + ", ".join(f"{key}: [{values}]" for key, values in lists.items()) + "}"


def _path(config: pytest.Config, option: str) -> Path | None:
    value: str | None = getattr(config.option, option)
    return Path(value) if value else None
