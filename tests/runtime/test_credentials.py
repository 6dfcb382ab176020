"""Credentials that are at hand, and credentials that are files."""

from __future__ import annotations

import base64
import logging
import threading
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
import trustme

from clientgen.runtime._config.credentials import Credential, Credentials
from clientgen.runtime._config.kubeconfig import AuthConfig, ClusterConfig, TlsConfig
from clientgen.runtime.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

SECRET = "hunter2-do-not-show"
WHERE = '~/config: user "dev"'


class Clock:
    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.seconds, UTC)

    def monotonic(self) -> float:
        return self.seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


def pem(certificate: trustme.LeafCert) -> tuple[bytes, bytes]:
    return certificate.cert_chain_pems[0].bytes(), certificate.private_key_pem.bytes()


def config(
    auth: AuthConfig, server: str = "https://x", tls: TlsConfig | None = None
) -> ClusterConfig:
    return ClusterConfig(server, auth=replace(auth, origin=WHERE), tls=tls or TlsConfig())


def basic(text: str) -> str:
    return "Basic " + base64.b64encode(text.encode()).decode()


@pytest.mark.parametrize(
    ("auth", "authorization"),
    [
        (AuthConfig(), None),
        (AuthConfig(token="abc"), "Bearer abc"),
        (AuthConfig(username="me", password="p:w"), basic("me:p:w")),
        (AuthConfig(username="mé"), basic("mé:")),
    ],
)
def test_inline_credentials_are_available_and_never_expire(
    auth: AuthConfig, authorization: str | None, clock: Clock
) -> None:
    credentials = Credentials(config(auth), clock=clock)
    credential = credentials.cached()
    assert credential == Credential(authorization)
    clock.seconds = 1e9
    assert credential is not None
    credentials.rejected(credential)
    assert credentials.cached() is credential
    assert credentials.refresh() is credential


def test_credentials_are_not_sent_without_tls(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    auth = AuthConfig(token_file=str(tmp_path / "none"), certificate_file="none", key_file="none")
    tls = TlsConfig(ca_file="none")
    for each in (auth, AuthConfig(token="abc"), AuthConfig()):
        assert Credentials(config(each, "http://x", tls)).cached() == Credential()
    told = "the credentials for http://x are not sent: http:// is not encrypted"
    assert caplog.messages == [told] * 2


def test_a_token_file_is_read_again_every_fifty_seconds(tmp_path: Path, clock: Clock) -> None:
    token = tmp_path / "token"
    token.write_text(" one\n")
    credentials = Credentials(config(AuthConfig(token_file=str(token))), clock=clock)
    assert credentials.cached() is None
    first = credentials.refresh()
    assert first.authorization == "Bearer one"
    token.write_text("two\n")
    clock.seconds = 49.9
    assert credentials.cached() is first
    assert credentials.refresh() is first
    clock.seconds = 50
    assert credentials.cached() is None
    assert credentials.refresh().authorization == "Bearer two"


def test_an_unchanged_file_gives_the_same_credential(tmp_path: Path, clock: Clock) -> None:
    token = tmp_path / "token"
    token.write_text("one")
    credentials = Credentials(config(AuthConfig(token_file=str(token))), clock=clock)
    first = credentials.refresh()
    clock.seconds = 50
    assert credentials.refresh() is first
    assert credentials.cached() is first


def test_a_rejected_token_is_read_again_at_once(tmp_path: Path, clock: Clock) -> None:
    token = tmp_path / "token"
    token.write_text("one")
    credentials = Credentials(config(AuthConfig(token_file=str(token))), clock=clock)
    first = credentials.refresh()
    token.write_text("two")
    credentials.rejected(first)
    assert credentials.cached() is None
    second = credentials.refresh()
    assert second.authorization == "Bearer two"
    credentials.rejected(first)
    assert credentials.cached() is second


@pytest.mark.parametrize("content", [None, "", " \n", "two tokens"])
def test_an_unusable_token_file_keeps_the_old_token_and_is_looked_at_soon(
    tmp_path: Path, clock: Clock, caplog: pytest.LogCaptureFixture, content: str | None
) -> None:
    token = tmp_path / "token"
    token.write_text(SECRET)
    credentials = Credentials(config(AuthConfig(token_file=str(token))), clock=clock)
    first = credentials.refresh()
    token.unlink()
    if content is not None:
        token.write_text(content)
    clock.seconds = 50
    with caplog.at_level(logging.WARNING):
        assert credentials.refresh() is first
    assert "the previous content stays in use" in caplog.text
    assert SECRET not in caplog.text
    assert credentials.cached() is first
    token.write_text("new")
    clock.seconds = 55
    assert credentials.refresh().authorization == "Bearer new"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (None, "cannot read PATH: No such file or directory"),
        ("", "the token file PATH is empty"),
        (f"{SECRET} x", "the token file PATH contains a character that HTTP headers do not allow"),
        (f"{SECRET}é", "the token file PATH contains a character that HTTP headers do not allow"),
    ],
)
def test_a_token_file_that_never_was_usable_is_an_error(
    tmp_path: Path, content: str | None, problem: str
) -> None:
    token = tmp_path / "token"
    if content is not None:
        token.write_text(content)
    credentials = Credentials(config(AuthConfig(token_file=str(token))))
    with pytest.raises(ConfigError) as caught:
        credentials.refresh()
    assert str(caught.value).replace(str(token), "PATH") == f"{WHERE}: {problem}"


def test_a_token_beside_a_token_file_serves_until_the_file_can_be_read(
    tmp_path: Path, clock: Clock
) -> None:
    token = tmp_path / "token"
    auth = AuthConfig(token="given", token_file=str(token))
    credentials = Credentials(config(auth), clock=clock)
    assert credentials.refresh().authorization == "Bearer given"
    token.write_text("read")
    clock.seconds = 5
    assert credentials.refresh().authorization == "Bearer read"


def test_certificate_files_are_read_again_and_change_the_connection(
    tmp_path: Path, clock: Clock, authority: trustme.CA
) -> None:
    certificate, key = tmp_path / "crt", tmp_path / "key"

    def issue() -> tuple[bytes, bytes]:
        pair = pem(authority.issue_cert("me"))
        certificate.write_bytes(pair[0])
        key.write_bytes(pair[1])
        return pair

    before = issue()
    auth = AuthConfig(certificate_file=str(certificate), key_file=str(key))
    credentials = Credentials(config(auth), clock=clock)
    first = credentials.refresh()
    assert first.certificate is not None
    assert (first.certificate.certificate, first.certificate.key) == before
    clock.seconds = 50
    assert credentials.refresh() is first
    issue()
    clock.seconds = 100
    second = credentials.refresh()
    assert second.connection != first.connection


def test_half_a_rotation_keeps_the_old_pair(
    tmp_path: Path, clock: Clock, authority: trustme.CA, caplog: pytest.LogCaptureFixture
) -> None:
    certificate, key = tmp_path / "crt", tmp_path / "key"
    old, new = pem(authority.issue_cert("me")), pem(authority.issue_cert("me"))
    certificate.write_bytes(old[0])
    key.write_bytes(old[1])
    auth = AuthConfig(certificate_file=str(certificate), key_file=str(key))
    credentials = Credentials(config(auth), clock=clock)
    first = credentials.refresh()
    certificate.write_bytes(new[0])
    clock.seconds = 50
    assert credentials.refresh() is first
    assert "the client key does not belong to the client certificate" in caplog.text
    key.write_bytes(new[1])
    clock.seconds = 55
    renewed = credentials.refresh().certificate
    assert renewed is not None
    assert renewed.certificate == new[0]


def test_a_certificate_may_be_a_file_and_its_key_data(
    tmp_path: Path, authority: trustme.CA
) -> None:
    pair = pem(authority.issue_cert("me"))
    (tmp_path / "crt").write_bytes(pair[0])
    auth = AuthConfig(certificate_file=str(tmp_path / "crt"), key_data=pair[1])
    credential = Credentials(config(auth)).refresh()
    assert credential.certificate is not None
    assert credential.certificate.key == pair[1]


def test_a_certificate_from_data_is_at_hand_and_wins_over_files(authority: trustme.CA) -> None:
    pair = pem(authority.issue_cert("me"))
    auth = AuthConfig(
        certificate_file="/none", certificate_data=pair[0], key_file="/none", key_data=pair[1]
    )
    credential = Credentials(config(auth)).cached()
    assert credential is not None
    assert credential.certificate is not None


def test_broken_certificate_data_is_an_error_at_once() -> None:
    with pytest.raises(ConfigError) as caught:
        Credentials(config(AuthConfig(certificate_data=SECRET.encode(), key_data=b"x")))
    assert str(caught.value) == (
        f"{WHERE}: the client certificate contains no PEM certificate (BEGIN CERTIFICATE)"
    )
    with pytest.raises(ConfigError, match="a client certificate needs a key"):
        Credentials(config(AuthConfig(certificate_data=b"x"))).refresh()


def test_an_authority_file_is_read_again_and_changes_the_connection(
    tmp_path: Path, clock: Clock, authority: trustme.CA
) -> None:
    path = tmp_path / "ca.crt"
    old, new = authority.cert_pem.bytes(), trustme.CA().cert_pem.bytes()
    path.write_bytes(old)
    tls = TlsConfig(ca_file=str(path))
    credentials = Credentials(config(AuthConfig(token="abc"), tls=tls), clock=clock)
    first = credentials.refresh()
    assert (first.authorization, first.authority) == ("Bearer abc", old)
    path.write_bytes(b"half written")
    clock.seconds = 50
    assert credentials.refresh() is first
    path.write_bytes(new)
    clock.seconds = 55
    second = credentials.refresh()
    assert second.authority == new
    assert second.connection != first.connection


def test_an_authority_file_that_never_was_usable_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "ca.crt").write_text("nothing")
    tls = TlsConfig(ca_file=str(tmp_path / "ca.crt"), origin="in-cluster")
    with pytest.raises(ConfigError) as caught:
        Credentials(config(AuthConfig(), tls=tls)).refresh()
    assert str(caught.value) == (
        "in-cluster: the certificate authority contains no PEM certificate (BEGIN CERTIFICATE)"
    )


def test_one_caller_reads_and_the_others_get_what_it_read(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("one")
    credentials = Credentials(config(AuthConfig(token_file=str(token))))
    got: list[Credential] = []
    threads = [threading.Thread(target=lambda: got.append(credentials.refresh())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(each) for each in got}) == 1
