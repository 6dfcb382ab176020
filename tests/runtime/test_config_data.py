"""ConfigMaps and Secrets from files and values: bad input, and what messages do not show.

What kubectl makes of the same input is compared in tests/testing/test_kubectl_admin.py.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import trustme
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)

from clientgen.runtime import (
    new_config_map,
    new_docker_registry_secret,
    new_secret,
    new_tls_secret,
)

SECRET = "s3cret-value"
MIB = 1 << 20


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("fifo")
    Path("large").write_bytes(b"x" * (MIB + 1))
    Path("half").write_bytes(b"x" * (MIB // 2 + 1))
    Path("lost.env").write_text(f"A=1\n{SECRET} !\n")
    Path("twice.env").write_text(f"A={SECRET}\nA={SECRET}\n")
    Path("text").write_text(SECRET)
    return tmp_path


anything: Any = None
WRONG: list[tuple[Callable[[], object], type[Exception], str]] = [
    (lambda: new_secret("s", files="fifo"), ValueError, "fifo is not a regular file"),
    (lambda: new_secret("s", files="/dev/zero"), ValueError, "/dev/zero is not a regular file"),
    (lambda: new_secret("s", files="large"), ValueError, "large is larger than 1 MiB"),
    (
        lambda: new_secret("s", files={"a": "half", "b": "half"}),
        ValueError,
        "larger than 1 MiB, which is the limit of a Secret",
    ),
    (lambda: new_secret("s", env_files="lost.env"), ValueError, r"lost\.env:2: a line is NAME="),
    (lambda: new_secret("s", env_files="twice.env"), ValueError, "twice.env:2: the key 'A' occurs"),
    (lambda: new_secret("s", files="none"), FileNotFoundError, "none"),
    (lambda: new_secret("s", literals={"": SECRET}), ValueError, "'' is not a valid key"),
    (lambda: new_secret("s", literals={"a\n": SECRET}), ValueError, r"'a\\n' is not a valid key"),
    (lambda: new_secret("s", literals={"k" * 254: SECRET}), ValueError, "more than 253"),
    (lambda: new_secret("s", literals={".": SECRET}), ValueError, "starts with"),
    (lambda: new_secret("s", literals={"k": SECRET + "\ud800"}), ValueError, "valid Unicode"),
    (lambda: new_secret("", literals={"k": SECRET}), ValueError, "needs a name"),
    (lambda: new_secret(anything, literals={"k": SECRET}), TypeError, "takes the name as a text"),
    (lambda: new_secret("s", literals={"k": anything}), TypeError, "text or bytes, not None"),
    (lambda: new_secret("s", literals={anything: SECRET}), TypeError, "a key is a text"),
    (lambda: new_secret("s", files=[anything]), TypeError, "takes the path of a file"),
    (lambda: new_secret("s", files=anything), TypeError, "files takes a path or paths, not None"),
    (lambda: new_tls_secret("s", cert="text", key="text"), ValueError, "no PEM certificate"),
    (
        lambda: new_docker_registry_secret("s", username="me", config="text"),
        ValueError,
        "either config or a username",
    ),
    (
        lambda: new_docker_registry_secret("s", password=SECRET),
        ValueError,
        "username, password and server are needed",
    ),
]


@pytest.mark.parametrize("case", range(len(WRONG)))
@pytest.mark.usefixtures("folder")
def test_a_wrong_argument_is_one_error_without_values(case: int) -> None:
    call, kind, message = WRONG[case]
    with pytest.raises(kind, match=message) as caught:
        call()
    assert SECRET not in f"{caught.value!r}{caught.value}"
    assert caught.value.__cause__ is None


@pytest.mark.usefixtures("folder")
def test_secrets_show_no_values() -> None:
    made = new_secret("api", files="text", literals={"a": SECRET})
    assert repr(made) == "Unstructured(api_version='v1', kind='Secret', name='api')"
    assert SECRET not in str(made)


def test_bytes_that_are_text_are_data_and_others_are_binary_data() -> None:
    made = new_config_map("c", literals={"a": b"x", "b": b"\xff", "c": "\u00e9"})
    assert made["data"] == {"a": "x", "c": "\u00e9"}
    assert made["binaryData"] == {"b": "/w=="}


def test_a_key_belongs_to_its_certificate() -> None:
    authority = trustme.CA()
    pair, other = (authority.issue_cert(f"{name}.example.com") for name in ("a", "b"))
    chain = b"".join(pem.bytes() for pem in pair.cert_chain_pems)
    key = pair.private_key_pem.bytes()
    made = new_tls_secret("tls", cert=chain, key=key)
    assert made["type"] == "kubernetes.io/tls"
    assert set(made["data"]) == {"tls.crt", "tls.key"}
    locked = load_pem_private_key(key, None).private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"x")
    )
    broken = key.replace(key.splitlines()[1], b"AAAA")
    for wrong, message in [
        (other.private_key_pem.bytes(), "the key does not belong to the certificate"),
        (locked, "the key is encrypted"),
        (broken, "the certificate or key is broken"),
        (chain, "the key contains no PEM private key"),
    ]:
        with pytest.raises(ValueError, match=f"^new_tls_secret: {message}"):
            new_tls_secret("tls", cert=chain, key=wrong)
