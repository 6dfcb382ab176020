"""Credential plugins, real ones: small programs that these tests write."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from support.plugins import V1, Plugin, with_plugin

from clientgen.runtime._config.credentials import Credentials
from clientgen.runtime._config.exec_plugin import plugin_for, run_plugin
from clientgen.runtime._config.exec_reply import parse_reply
from clientgen.runtime._config.kubeconfig import AuthConfig, ClusterConfig, ExecConfig, TlsConfig
from clientgen.runtime.errors import ConfigError

V1BETA1 = "client.authentication.k8s.io/v1beta1"
SECRET = "hunter2-do-not-show"
START = datetime(2030, 1, 1, tzinfo=UTC)


class Clock:
    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> datetime:
        return START + timedelta(seconds=self.seconds)

    def monotonic(self) -> float:
        return self.seconds


@pytest.fixture
def plugin(tmp_path: Path) -> Plugin:
    return Plugin(tmp_path)


@pytest.fixture
def clock() -> Clock:
    return Clock()


def failure(config: ClusterConfig, **options: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        run_plugin(config, **options)
    assert SECRET not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("version", [V1, V1BETA1])
def test_a_token_becomes_the_authorization(plugin: Plugin, version: str) -> None:
    plugin.says({"token": "abc"}, version)
    credentials = Credentials(plugin.config(api_version=version))
    assert credentials.cached() is None
    credential = credentials.refresh()
    assert credential.authorization == "Bearer abc"
    assert credential.certificate is None
    assert credentials.cached() is credential


def test_a_client_certificate_is_pem_as_it_stands(plugin: Plugin) -> None:
    plugin.says({"clientCertificateData": "CERT", "clientKeyData": "KEY"})
    credential = Credentials(plugin.config()).refresh()
    assert credential.authorization is None
    assert credential.certificate is not None
    assert (credential.certificate.certificate, credential.certificate.key) == (b"CERT", b"KEY")


def test_the_plugin_hears_its_environment_and_the_request(plugin: Plugin) -> None:
    plugin.does("""
        told = json.dumps([info, os.environ["A"], os.environ.get("HOME"), sys.argv[1:]])
        print(json.dumps({"kind": "ExecCredential", "apiVersion": info["apiVersion"],
                          "status": {"token": told.encode().hex()}}))
        """)
    answer = run_plugin(plugin.config(env=(("A", "b"),), args=("--flag",)))
    told = json.loads(bytes.fromhex(answer.token))
    request = {"kind": "ExecCredential", "apiVersion": V1, "spec": {"interactive": False}}
    assert told == [request, "b", os.environ.get("HOME"), ["--flag"]]


def told_cluster(plugin: Plugin, config: ClusterConfig) -> Any:
    plugin.does("""
        told = json.dumps(info["spec"].get("cluster"))
        print(json.dumps({"kind": "ExecCredential", "apiVersion": info["apiVersion"],
                          "status": {"token": told.encode().hex()}}))
        """)
    return json.loads(bytes.fromhex(run_plugin(config).token))


def test_the_cluster_is_told_when_it_is_asked_for(plugin: Plugin, tmp_path: Path) -> None:
    (tmp_path / "ca.crt").write_bytes(b"PEM")
    config = replace(
        plugin.config(provide_cluster_info=True, cluster_config='{"audience":"a"}'),
        tls=TlsConfig(ca_file=str(tmp_path / "ca.crt"), server_name="kubernetes"),
        proxy_url="http://proxy:1",
        disable_compression=True,
    )
    assert told_cluster(plugin, config) == {
        "server": "https://x:6443",
        "tls-server-name": "kubernetes",
        "certificate-authority-data": "UEVN",
        "proxy-url": "http://proxy:1",
        "disable-compression": True,
        "config": {"audience": "a"},
    }


def test_unset_fields_are_not_passed_to_the_plugin(plugin: Plugin) -> None:
    config = replace(plugin.config(provide_cluster_info=True), tls=TlsConfig(insecure=True))
    told = {"server": "https://x:6443", "insecure-skip-tls-verify": True}
    assert told_cluster(plugin, config) == told
    assert told_cluster(plugin, plugin.config(cluster_config="{}")) is None


def test_a_missing_authority_is_not_the_plugins_fault(plugin: Plugin) -> None:
    tls = TlsConfig(ca_file="/none/ca.crt", origin='~/config: cluster "c"')
    config = replace(plugin.config(provide_cluster_info=True), tls=tls)
    expected = '~/config: cluster "c": cannot read /none/ca.crt: No such file or directory'
    assert failure(config) == expected


@pytest.mark.parametrize(
    ("mode", "terminal", "interactive"),
    [
        ("Never", True, False),
        ("IfAvailable", False, False),
        ("IfAvailable", True, True),
        ("Always", True, True),
    ],
)
def test_a_plugin_may_ask_only_where_somebody_can_answer(
    plugin: Plugin,
    monkeypatch: pytest.MonkeyPatch,
    mode: str,
    terminal: bool,
    interactive: bool,
) -> None:
    plugin.does("""
        token = f"{info['spec']['interactive']}-{sys.stdin.read().strip() or 'nothing'}"
        print(json.dumps({"kind": "ExecCredential", "apiVersion": info["apiVersion"],
                          "status": {"token": token}}))
        """)
    reading, writing = os.pipe()
    os.write(writing, b"typed")
    os.close(writing)
    saved = os.dup(0)
    os.dup2(reading, 0)
    try:
        answer = run_plugin(plugin.config(interactive_mode=mode), is_terminal=lambda: terminal)
    finally:
        os.dup2(saved, 0)
        os.close(saved)
        os.close(reading)
    assert answer.token == ("True-typed" if interactive else "False-nothing")


def test_a_plugin_that_must_ask_needs_a_terminal(plugin: Plugin) -> None:
    config = plugin.says({"token": SECRET}).config(interactive_mode="Always")
    assert failure(config, is_terminal=lambda: False).endswith(
        " needs a terminal (interactiveMode: Always), but standard input is not one"
    )
    assert plugin.runs == 0


NAME = Path(sys.executable).name
WHERE = f'~/config: user "dev": exec: plugin "{NAME}" '


def test_a_failing_plugin_is_told_by_its_exit_code(
    plugin: Plugin, capfd: pytest.CaptureFixture[str]
) -> None:
    plugin.does(f"print({SECRET!r}); print('log in first', file=sys.stderr); sys.exit(3)")
    message = failure(plugin.config())
    assert message == f"{WHERE}failed with exit code 3; see its messages on standard error"
    assert capfd.readouterr().err == "log in first\n"


def test_a_killed_plugin_is_told_by_its_signal(plugin: Plugin) -> None:
    plugin.does("os.kill(os.getpid(), 9)")
    assert failure(plugin.config()).startswith(f"{WHERE}was ended by signal 9;")


def test_a_hanging_plugin_is_ended_and_its_children_are_not_waited_for(plugin: Plugin) -> None:
    # The grandchild keeps standard output open; it must not be waited for.
    plugin.does(f"""
        import subprocess, time
        print({SECRET!r}, flush=True)
        child = subprocess.Popen([sys.executable, "-I", "-S", "-c", "input()"],
                                 stdin=subprocess.PIPE)
        time.sleep(60)
        """)
    message = failure(plugin.config(timeout=0.3))
    assert message == f"{WHERE}did not answer within 0.3 s and was stopped"


def test_a_missing_plugin_is_told_with_its_hint() -> None:
    hint = "brew install it"
    config = with_plugin(ExecConfig("no-such-plugin", install_hint=hint))
    assert failure(config) == (
        '~/config: user "dev": exec: plugin "no-such-plugin" is not installed: '
        'there is no executable "no-such-plugin" on PATH\n    brew install it'
    )
    message = failure(with_plugin(ExecConfig("/none/plugin")))
    assert 'there is no executable "/none/plugin"\n    see https://kubernetes.io' in message


def test_a_plugin_that_the_system_cannot_run_is_told(tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.write_text("not a program")
    broken.chmod(0o700)
    assert failure(with_plugin(ExecConfig(str(broken)))).endswith(
        '"broken" cannot be run: Exec format error'
    )
    config = with_plugin(ExecConfig(sys.executable, args=(f"{SECRET}\0",)))
    assert failure(config).endswith("cannot be run: its args or env contain a NUL character")


def test_a_bare_name_is_looked_for_on_our_own_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "my-plugin"
    reply = {"kind": "ExecCredential", "apiVersion": V1, "status": {"token": "abc"}}
    program.write_text(f"#!/bin/sh\necho '{json.dumps(reply)}'\n")
    program.chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path))
    plugin = ExecConfig("my-plugin", env=(("PATH", "/none"),))
    assert run_plugin(with_plugin(plugin)).token == "abc"


def reply(status: Any = None, *, kind: Any = "ExecCredential", version: Any = V1) -> bytes:
    return json.dumps({"kind": kind, "apiVersion": version, "status": status}).encode()


@pytest.mark.parametrize(
    ("output", "problem"),
    [
        (b"", "printed nothing; it must print an ExecCredential as JSON"),
        (b" \n", "printed nothing; it must print an ExecCredential as JSON"),
        (SECRET.encode(), "did not print JSON; it must print an ExecCredential"),
        (b"\xff", "did not print JSON; it must print an ExecCredential"),
        (b"[" * 100_000, "did not print JSON; it must print an ExecCredential"),
        (b"[]", "printed JSON that is not an object; it must print an ExecCredential"),
        (reply(kind=SECRET), 'printed an object whose kind is not "ExecCredential"'),
        (
            reply(version=V1BETA1),
            (
                f"printed an ExecCredential of {V1BETA1}, but {V1} was requested; "
                "set the apiVersion of `exec` to the version that the plugin supports"
            ),
        ),
        (
            reply(version=SECRET),
            (
                f"printed an ExecCredential of another apiVersion, but {V1} was requested; "
                "set the apiVersion of `exec` to the version that the plugin supports"
            ),
        ),
        (
            reply(version=[SECRET]),
            (
                f"printed an ExecCredential of another apiVersion, but {V1} was requested; "
                "set the apiVersion of `exec` to the version that the plugin supports"
            ),
        ),
        (reply(), "printed an ExecCredential without a status"),
        (reply(SECRET), "printed an ExecCredential without a status"),
        (reply({}), "returned neither a token nor a client certificate"),
        (reply({"token": ""}), "returned neither a token nor a client certificate"),
        (reply({"token": [SECRET]}), "returned a value for token that is not a string"),
        (
            reply({"token": f"{SECRET}\nX: y"}),
            "returned a token with a character that HTTP headers do not allow",
        ),
        (
            reply({"clientCertificateData": SECRET}),
            "returned an incomplete client certificate: clientKeyData is missing",
        ),
        (
            reply({"token": "a", "clientKeyData": SECRET}),
            "returned an incomplete client certificate: clientCertificateData is missing",
        ),
        (
            reply({"token": SECRET, "expirationTimestamp": "tomorrow"}),
            "returned an expirationTimestamp that is not in RFC 3339 format",
        ),
        (
            reply({"token": SECRET, "expirationTimestamp": "2030-01-01T00:00:00"}),
            "returned an expirationTimestamp that is not in RFC 3339 format",
        ),
        (
            reply({"token": SECRET, "expirationTimestamp": 5}),
            "returned a value for expirationTimestamp that is not a string",
        ),
    ],
)
def test_a_wrong_answer_is_explained_and_never_quoted(output: bytes, problem: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_reply(output, V1, "plugin")
    assert str(caught.value) == f"plugin {problem}"
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("stamp", ["2030-01-01T01:00:00Z", "2030-01-01T02:00:00.5+01:00"])
def test_an_answer_serves_until_it_expires_without_a_margin(
    plugin: Plugin, clock: Clock, stamp: str
) -> None:
    plugin.says({"token": "abc", "expirationTimestamp": stamp})
    credentials = Credentials(plugin.config(), clock=clock)
    credentials.refresh()
    clock.seconds = 3600
    assert credentials.cached() is not None
    clock.seconds = 3601
    assert credentials.cached() is None
    assert plugin.runs == 1
    credentials.refresh()
    assert plugin.runs == 2


def test_an_answer_without_an_expiry_serves_for_ever(plugin: Plugin, clock: Clock) -> None:
    credentials = Credentials(plugin.says({"token": "abc"}).config(), clock=clock)
    credentials.refresh()
    clock.seconds = 1e9
    assert credentials.cached() is not None


def test_a_rejected_answer_is_asked_for_again_once(plugin: Plugin) -> None:
    plugin.says({"token": "abc"})
    credentials = Credentials(plugin.config())
    first = credentials.refresh()
    credentials.rejected(first)
    assert credentials.cached() is None
    second = credentials.refresh()
    assert second is not first
    assert plugin.runs == 2
    credentials.rejected(first)
    assert credentials.cached() is second, "a late 401 to the old credential is no news"
    assert credentials.refresh() is second
    assert plugin.runs == 2


def test_all_credentials_of_one_plugin_share_its_answer(plugin: Plugin) -> None:
    plugin.says({"token": "abc"})
    one, two = Credentials(plugin.config()), Credentials(plugin.config())
    first = one.refresh()
    assert two.refresh() == first
    assert plugin.runs == 1
    two.rejected(two.refresh())
    two.refresh()
    assert plugin.runs == 2
    one.rejected(first)
    assert one.cached() is None, "what it had was replaced"
    one.refresh()
    assert plugin.runs == 2, "but nothing has to be run for that"


def test_callers_at_once_wait_for_one_run(plugin: Plugin) -> None:
    plugin.says({"token": "abc"})
    all_credentials = [Credentials(plugin.config()) for _ in range(4)]
    got: list[str | None] = []

    def refresh(credentials: Credentials) -> None:
        got.append(credentials.refresh().authorization)

    threads = [threading.Thread(target=refresh, args=(each,)) for each in all_credentials * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == ["Bearer abc"] * 8
    assert plugin.runs == 1


def test_a_401_can_be_noted_while_the_plugin_runs(plugin: Plugin, clock: Clock) -> None:
    plugin.says({"token": "abc", "expirationTimestamp": "2030-01-01T01:00:00Z"})
    credentials = Credentials(plugin.config(), clock=clock)
    old = credentials.refresh()
    started, go_on = plugin.script.parent / "started", plugin.script.parent / "go-on"
    os.mkfifo(started)
    os.mkfifo(go_on)
    reply = {"kind": "ExecCredential", "apiVersion": V1, "status": {"token": "new"}}
    plugin.does(f"""
        open({str(started)!r}, "w").close()
        open({str(go_on)!r}).close()
        print({json.dumps(json.dumps(reply))})
        """)
    clock.seconds = 4000
    thread = threading.Thread(target=credentials.refresh)
    thread.start()
    started.open().close()
    credentials.rejected(old)
    assert credentials.cached() is None
    go_on.open("w").close()
    thread.join()
    assert credentials.refresh().authorization == "Bearer new"


def test_a_plugin_that_hears_of_the_cluster_answers_for_that_cluster_only(plugin: Plugin) -> None:
    plugin.says({"token": "abc"})
    blind = plugin.config()
    seeing = plugin.config(provide_cluster_info=True)
    assert plugin_for(blind) is plugin_for(replace(blind, server="https://y"))
    assert plugin_for(seeing) is plugin_for(replace(seeing, namespace="other"))
    assert plugin_for(seeing) is not plugin_for(replace(seeing, server="https://y"))
    assert plugin_for(seeing) is not plugin_for(replace(seeing, tls=TlsConfig(insecure=True)))
    other = plugin.config(env=(("A", "b"),))
    assert plugin_for(blind) is not plugin_for(other)


@pytest.mark.parametrize(
    "auth", [AuthConfig(token="t"), AuthConfig(username="u"), AuthConfig(token="t", password="p")]
)
def test_a_plugin_is_not_asked_when_another_way_is_configured(
    plugin: Plugin, auth: AuthConfig
) -> None:
    config = plugin.config()
    credentials = Credentials(replace(config, auth=replace(auth, exec=config.auth.exec)))
    assert credentials.cached() is not None
    assert plugin.runs == 0


def test_a_plugin_is_not_asked_for_a_server_without_tls(plugin: Plugin) -> None:
    credentials = Credentials(replace(plugin.says({"token": "a"}).config(), server="http://x"))
    credential = credentials.cached()
    assert credential is not None
    assert credential.authorization is None
    assert plugin.runs == 0


def test_a_failed_run_leaves_nothing_behind_and_is_tried_again(plugin: Plugin) -> None:
    credentials = Credentials(plugin.does("sys.exit(1)").config())
    for _ in range(2):
        with pytest.raises(ConfigError, match="failed with exit code 1"):
            credentials.refresh()
    assert plugin.runs == 2
    plugin.says({"token": "abc"})
    assert credentials.refresh().authorization == "Bearer abc"


def test_the_plugin_machinery_starts_no_process_on_import() -> None:
    code = "import sys, clientgen.runtime._config.exec_plugin; print('subprocess' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and that nobody has asked about does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


GRANDCHILD = """
    import subprocess, time
    child = subprocess.Popen([sys.executable, "-I", "-S", "-c", "import time; time.sleep(60)"])
    with open({place!r}, "w") as file:
        file.write(str(child.pid))
"""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
@pytest.mark.parametrize(
    ("then", "problem"),
    [
        ("time.sleep(60)", "did not answer within"),
        ("os.write(1, b'x' * 2_000_000)\n    time.sleep(60)", "printed more than 1048576 bytes"),
        ("os._exit(0)", "did not answer within"),
    ],
    ids=["silent", "endless", "gone"],
)
def test_processes_started_by_a_plugin_end_with_it(
    plugin: Plugin, tmp_path: Path, then: str, problem: str
) -> None:
    place = tmp_path / "grandchild"
    plugin.does(GRANDCHILD.format(place=str(place)) + f"    {then}\n")
    message = failure(plugin.config(timeout=3.0))
    assert problem in message
    pid = int(place.read_text())
    end = time.monotonic() + 60
    while is_alive(pid):
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_plugin_that_prints_without_an_end_is_ended(plugin: Plugin) -> None:
    plugin.does(f"while True: sys.stdout.write({SECRET!r} * 10_000)")
    message = failure(plugin.config(timeout=60.0))
    assert message == f"{WHERE}printed more than 1048576 bytes and was stopped"
