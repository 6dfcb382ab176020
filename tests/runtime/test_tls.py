"""TLS against real handshakes: whom a context trusts, and what it shows."""

from __future__ import annotations

import asyncio
import datetime as dt
import http.server
import os
import ssl
import stat
import sys
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import aiohttp
import pytest
import trustme
import urllib3
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from clientgen.runtime._config.credentials import ClientCertificate, Credentials
from clientgen.runtime._config.kubeconfig import AuthConfig, ClusterConfig, TlsConfig
from clientgen.runtime._config.tls import as_file, ssl_context
from clientgen.runtime.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator

SECRET = "hunter2-do-not-show"


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="module")
def server(authority: trustme.CA) -> ssl.SSLContext:
    return server_context(authority.issue_cert("kubernetes"))


def server_context(
    certificate: trustme.LeafCert, clients: trustme.CA | None = None
) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.set_alpn_protocols(["h2", "http/1.1"])
    with certificate.private_key_and_cert_chain_pem.tempfile() as path:
        context.load_cert_chain(path)
    if clients is not None:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(cadata=clients.cert_pem.bytes().decode())
    return context


def client_certificate(authority: trustme.CA, name: str = "me@example.org") -> ClientCertificate:
    issued = authority.issue_cert(name, common_name=name)
    return ClientCertificate(
        issued.cert_chain_pems[0].bytes(), issued.private_key_pem.bytes(), origin="user"
    )


def handshake(
    client: ssl.SSLContext, server: ssl.SSLContext, name: str = "kubernetes"
) -> tuple[ssl.SSLObject, ssl.SSLObject]:
    """A whole handshake, and a byte each way, without a network."""
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = (
        client.wrap_bio(to_client, to_server, server_hostname=name),
        server.wrap_bio(to_server, to_client, server_side=True),
    )
    waiting = list(ends)
    for _ in range(10):
        for end in list(waiting):
            try:
                end.do_handshake()
                waiting.remove(end)
            except ssl.SSLWantReadError:
                pass
    assert not waiting
    ends[1].write(b"x")
    assert ends[0].read(1) == b"x"
    return ends


def trusting(authority: trustme.CA, **options: object) -> TlsConfig:
    return TlsConfig(ca_data=authority.cert_pem.bytes(), **options)  # type: ignore[arg-type]


def test_an_authority_from_data_is_trusted(authority: trustme.CA, server: ssl.SSLContext) -> None:
    client, _ = handshake(ssl_context(trusting(authority)), server)
    assert client.selected_alpn_protocol() == "http/1.1"


def test_an_authority_from_a_file_is_trusted(
    authority: trustme.CA, server: ssl.SSLContext, tmp_path: Path
) -> None:
    path = tmp_path / "ca.crt"
    path.write_bytes(b"# a comment in UTF-8: \xc3\xa9\n" + authority.cert_pem.bytes())
    handshake(ssl_context(TlsConfig(ca_file=str(path))), server)


def test_the_authority_of_the_credential_replaces_what_the_file_held(
    authority: trustme.CA, server: ssl.SSLContext
) -> None:
    tls = TlsConfig(ca_file="/none/ca.crt")
    handshake(ssl_context(tls, authority=authority.cert_pem.bytes()), server)


def test_another_authority_is_not_trusted(server: ssl.SSLContext) -> None:
    with pytest.raises(ssl.SSLCertVerificationError):
        handshake(ssl_context(trusting(trustme.CA())), server)


def test_without_an_authority_the_systems_are_trusted(
    authority: trustme.CA, server: ssl.SSLContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ssl.SSLCertVerificationError):
        handshake(ssl_context(TlsConfig()), server)
    (tmp_path / "system.pem").write_bytes(authority.cert_pem.bytes())
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "system.pem"))
    handshake(ssl_context(TlsConfig()), server)


def test_another_name_is_refused(authority: trustme.CA, server: ssl.SSLContext) -> None:
    with pytest.raises(ssl.SSLCertVerificationError):
        handshake(ssl_context(trusting(authority)), server, "10.0.0.1")


def test_insecure_verifies_nothing(server: ssl.SSLContext) -> None:
    handshake(ssl_context(TlsConfig(insecure=True)), server, "10.0.0.1")


def test_insecure_with_an_authority_is_refused(authority: trustme.CA) -> None:
    with pytest.raises(ConfigError) as caught:
        ssl_context(trusting(authority, insecure=True, origin='cluster "c"'))
    assert str(caught.value) == (
        'cluster "c": verification is off, but a certificate authority is set;'
        " remove one of the two"
    )


def test_old_protocols_are_refused(authority: trustme.CA) -> None:
    assert ssl_context(trusting(authority)).minimum_version is ssl.TLSVersion.TLSv1_2


def lax_chain() -> tuple[bytes, bytes, bytes]:
    """A CA as old clusters have it, without key usage, and a server's certificate and key."""
    now = dt.datetime.now(dt.UTC)
    ca_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    ca_name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "kubernetes-ca")])
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "kube-apiserver")])

    def builder(subject: x509.Name, public: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(ca_name)
            .public_key(public)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - dt.timedelta(days=1))
            .not_valid_after(now + dt.timedelta(days=1))
        )

    ca = builder(ca_name, ca_key.public_key()).add_extension(
        x509.BasicConstraints(ca=True, path_length=None), critical=True
    )
    leaf = builder(name, key.public_key()).add_extension(
        x509.SubjectAlternativeName([x509.DNSName("kubernetes")]), critical=False
    )
    pem = serialization.Encoding.PEM
    return (
        ca.sign(ca_key, hashes.SHA256()).public_bytes(pem),
        leaf.sign(ca_key, hashes.SHA256()).public_bytes(pem),
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()),
    )


@pytest.fixture(scope="module")
def lax() -> tuple[bytes, bytes, ssl.SSLContext]:
    ca, leaf, key = lax_chain()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.NamedTemporaryFile() as file:
        file.write(key + leaf)
        file.flush()
        context.load_cert_chain(file.name)
    return ca, leaf, context


def test_an_authority_without_key_usage_is_trusted(
    lax: tuple[bytes, bytes, ssl.SSLContext],
) -> None:
    ca, _, server = lax
    handshake(ssl_context(TlsConfig(ca_data=ca)), server)


@pytest.mark.skipif(sys.version_info < (3, 13), reason="strict since Python 3.13")
def test_python_by_itself_would_refuse_that_authority(
    lax: tuple[bytes, bytes, ssl.SSLContext],
) -> None:
    ca, _, server = lax
    with pytest.raises(ssl.SSLCertVerificationError):
        handshake(ssl.create_default_context(cadata=ca.decode()), server)


def test_a_servers_own_certificate_can_be_the_authority(
    lax: tuple[bytes, bytes, ssl.SSLContext],
) -> None:
    _, leaf, server = lax
    handshake(ssl_context(TlsConfig(ca_data=leaf)), server)


@pytest.mark.parametrize("in_memory", [True, False])
def test_a_client_certificate_from_data_is_shown(
    authority: trustme.CA, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, in_memory: bool
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    if not in_memory:
        monkeypatch.delattr(os, "memfd_create", raising=False)
    server = server_context(authority.issue_cert("kubernetes"), clients=authority)
    context = ssl_context(trusting(authority), client_certificate(authority))
    _, served = handshake(context, server)
    shown = served.getpeercert()
    assert shown is not None
    assert "me@example.org" in str(shown["subject"])
    assert list(tmp_path.iterdir()) == []


def test_a_missing_client_certificate_is_refused_by_the_server(authority: trustme.CA) -> None:
    server = server_context(authority.issue_cert("kubernetes"), clients=authority)
    with pytest.raises(ssl.SSLError):
        handshake(ssl_context(trusting(authority)), server)


def test_a_key_on_disk_is_its_owners_alone_and_gone_at_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.delattr(os, "memfd_create", raising=False)
    old = os.umask(0)
    try:
        with as_file(b"key") as path:
            assert Path(path).read_bytes() == b"key"
            assert Path(path).parent == tmp_path
            assert stat.S_IMODE(Path(path).stat().st_mode) == 0o600
    finally:
        os.umask(old)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(RuntimeError), as_file(b"key"):
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="Linux only")
def test_a_key_in_memory_is_never_on_disk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with as_file(b"key") as path:
        assert Path(path).read_bytes() == b"key"
        assert list(tmp_path.iterdir()) == []
    assert not Path(path).exists()


def encrypted(authority: trustme.CA, form: serialization.PrivateFormat) -> bytes:
    key = serialization.load_pem_private_key(client_certificate(authority).key, None)
    return key.private_bytes(
        serialization.Encoding.PEM, form, serialization.BestAvailableEncryption(b"x")
    )


GARBLED = b"-----BEGIN %s-----\naHVudGVyMi1kby1ub3Qtc2hvdw==\n-----END %s-----\n"


def test_unusable_certificates_and_keys_are_explained(authority: trustme.CA) -> None:
    good, other = client_certificate(authority), client_certificate(authority)
    pkcs8 = encrypted(authority, serialization.PrivateFormat.PKCS8)
    legacy = encrypted(authority, serialization.PrivateFormat.TraditionalOpenSSL)
    broken_certificate = GARBLED % (b"CERTIFICATE", b"CERTIFICATE")
    broken_key = GARBLED % (b"PRIVATE KEY", b"PRIVATE KEY")
    mismatch = "the client key does not belong to the client certificate"
    no_key = "the client key contains no PEM private key (BEGIN PRIVATE KEY)"
    no_certificate = "the client certificate contains no PEM certificate (BEGIN CERTIFICATE)"
    is_encrypted = "the client key is encrypted; decrypt it with `openssl pkey -in KEY -out PLAIN`"
    broken = "the client certificate or key is broken; copy the PEM files again"
    table = [
        (good.certificate, other.key, mismatch),
        (good.certificate, good.certificate, no_key),
        (good.certificate, SECRET.encode(), no_key),
        (SECRET.encode(), good.key, no_certificate),
        (good.key, good.key, no_certificate),
        (good.certificate, pkcs8, is_encrypted),
        (good.certificate, legacy, is_encrypted),
        (broken_certificate, good.key, broken),
        (good.certificate, broken_key, broken),
    ]
    for certificate, key, problem in table:
        pair = ClientCertificate(certificate, key, origin='~/config: user "dev"')
        with pytest.raises(ConfigError) as caught:
            ssl_context(trusting(authority), pair)
        assert str(caught.value) == f'~/config: user "dev": {problem}'


def test_a_key_and_certificate_may_share_a_file(authority: trustme.CA) -> None:
    pair = client_certificate(authority)
    both = pair.key + pair.certificate
    ssl_context(trusting(authority), ClientCertificate(both, both))


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (SECRET.encode(), "contains no PEM certificate (BEGIN CERTIFICATE)"),
        (
            GARBLED % (b"CERTIFICATE", b"CERTIFICATE"),
            "contains a broken certificate; copy the PEM file again",
        ),
        (
            b"-----BEGIN CERTIFICATE-----\n\xff\n-----END CERTIFICATE-----",
            "contains a broken certificate; copy the PEM file again",
        ),
    ],
)
def test_an_unusable_authority_is_explained(data: bytes, problem: str) -> None:
    with pytest.raises(ConfigError) as caught:
        ssl_context(TlsConfig(ca_data=data, origin='cluster "c"'))
    assert str(caught.value) == f'cluster "c": the certificate authority {problem}'


def test_a_missing_authority_file_is_explained() -> None:
    with pytest.raises(ConfigError) as caught:
        ssl_context(TlsConfig(ca_file="/none/ca.crt"))
    assert str(caught.value) == "cannot read /none/ca.crt: No such file or directory"


class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        connection = self.connection
        assert isinstance(connection, ssl.SSLSocket)
        shown = connection.getpeercert() or {}
        body = str(shown.get("subject", ())).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@pytest.fixture
def url(authority: trustme.CA) -> Iterator[str]:
    context = server_context(authority.issue_cert("kubernetes"), clients=authority)
    context.set_alpn_protocols(["http/1.1"])
    with http.server.HTTPServer(("127.0.0.1", 0), Answer) as httpd:
        httpd.socket = context.wrap_socket(httpd.socket, server_side=True)
        thread = threading.Thread(target=httpd.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"https://127.0.0.1:{httpd.server_port}"
        finally:
            httpd.shutdown()
            thread.join()


@pytest.fixture
def config(url: str, authority: trustme.CA) -> ClusterConfig:
    pair = client_certificate(authority)
    return ClusterConfig(
        url,
        tls=trusting(authority, server_name="kubernetes"),
        auth=AuthConfig(certificate_data=pair.certificate, key_data=pair.key),
    )


def context_for(config: ClusterConfig) -> ssl.SSLContext:
    credential = Credentials(config).refresh()
    return ssl_context(config.tls, credential.certificate, credential.authority)


def test_urllib3_takes_the_context_and_the_servers_name(config: ClusterConfig) -> None:
    with urllib3.PoolManager(
        ssl_context=context_for(config), server_hostname=config.tls.server_name
    ) as pool:
        assert b"me@example.org" in pool.request("GET", config.server, retries=False).data


def test_aiohttp_takes_the_context_and_the_servers_name(config: ClusterConfig) -> None:
    async def get() -> bytes:
        connector = aiohttp.TCPConnector(ssl=context_for(config))
        async with (
            aiohttp.ClientSession(connector=connector) as session,
            session.get(config.server, server_hostname=config.tls.server_name) as response,
        ):
            return await response.read()

    assert b"me@example.org" in asyncio.run(get())
