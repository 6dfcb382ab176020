"""Files that a configuration names: none is read without an end, and none takes long."""

from __future__ import annotations

import re
from base64 import b64encode
from pathlib import Path
from random import Random

import pytest
import yaml

from clientgen.runtime._config.credentials import Credentials
from clientgen.runtime._config.file_content import MAX_FILE_BYTES, read_file
from clientgen.runtime._config.pem import certificates, private_key
from clientgen.runtime.config import load_config
from clientgen.runtime.errors import ConfigError

ENDLESS = "/dev/zero"
HUGE = "the file is larger than 16 MiB"
PEM = b64encode(b"-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n").decode()


def kubeconfig(folder: Path, user: dict[str, str], cluster: dict[str, str]) -> Path:
    path = folder / "config"
    cluster = {"server": "https://127.0.0.1:1", **cluster}
    path.write_text(
        yaml.safe_dump(
            {
                "current-context": "c",
                "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
                "clusters": [{"name": "c", "cluster": cluster}],
                "users": [{"name": "u", "user": user}],
            }
        )
    )
    return path


def test_a_file_may_have_so_many_bytes(tmp_path: Path):
    path = tmp_path / "large"
    path.write_bytes(b"x" * MAX_FILE_BYTES)
    assert len(read_file(path)) == MAX_FILE_BYTES
    path.write_bytes(b"x" * (MAX_FILE_BYTES + 1))
    with pytest.raises(OSError, match=HUGE):
        read_file(path)


def test_a_kubeconfig_that_never_ends_is_refused():
    with pytest.raises(ConfigError, match=f"/dev/zero: the kubeconfig cannot be read: {HUGE}"):
        load_config(ENDLESS)


@pytest.mark.parametrize(
    ("user", "cluster"),
    [
        ({"tokenFile": ENDLESS}, {}),
        ({"client-certificate": ENDLESS, "client-key": ENDLESS}, {}),
        ({"client-key": ENDLESS, "client-certificate-data": PEM}, {}),
        ({}, {"certificate-authority": ENDLESS}),
    ],
)
def test_a_credential_that_never_ends_is_refused(
    tmp_path: Path, user: dict[str, str], cluster: dict[str, str]
):
    path = kubeconfig(tmp_path, user, cluster)
    with pytest.raises(ConfigError, match=f"cannot read /dev/zero: {HUGE}"):
        Credentials(load_config(path)).refresh()


def test_blocks_are_those_from_a_begin_to_the_next_end():
    chance = Random(7)
    kinds = ["CERTIFICATE", "PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "X"]
    for _ in range(2000):
        marks = [
            f"-----{chance.choice(['BEGIN', 'END'])} {chance.choice(kinds)}-----\n{each}\n".encode()
            for each in range(chance.randrange(9))
        ]
        pem = b"".join(marks)
        block = rb"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----"
        assert certificates(pem) == b"".join(
            each + b"\n" for each in re.findall(block, pem, re.DOTALL)
        )
        block = rb"-----BEGIN ((?:[A-Z0-9]+ )*PRIVATE KEY)-----.*?-----END \1-----"
        match = re.search(block, pem, re.DOTALL)
        assert private_key(pem) == (match[0] + b"\n" if match else b"")


def test_blocks_without_an_end_are_looked_through_once():
    """Each used to be looked for to the end of the text: hours for what is here."""
    assert certificates(b"-----BEGIN CERTIFICATE-----\n" * 400_000) == b""
    assert private_key(b"-----BEGIN RSA PRIVATE KEY-----\n" * 400_000) == b""
    many = b"".join(b"-----BEGIN A%d PRIVATE KEY-----\n" % each for each in range(100_000))
    assert private_key(many) == b""
    assert private_key(many + b"-----END A5 PRIVATE KEY-----\n").startswith(b"-----BEGIN A5 ")
