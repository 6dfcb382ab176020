"""The headers of impersonation."""

from __future__ import annotations

import re
from urllib.parse import unquote_to_bytes

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clientgen.runtime._config.impersonation import impersonation_headers
from clientgen.runtime._config.kubeconfig import Impersonation
from clientgen.runtime.errors import ConfigError


def test_every_part_becomes_headers_that_may_repeat() -> None:
    impersonation = Impersonation(
        "system:serviceaccount:a:b",
        uid="7",
        groups=["dev", "ops"],
        extra={"Scopes": ["view", "edit"], "acme.com/scope": ["a b"], "100%": ["ü"]},
    )
    assert impersonation_headers(impersonation) == [
        ("Impersonate-User", "system:serviceaccount:a:b"),
        ("Impersonate-Uid", "7"),
        ("Impersonate-Group", "dev"),
        ("Impersonate-Group", "ops"),
        ("Impersonate-Extra-scopes", "view"),
        ("Impersonate-Extra-scopes", "edit"),
        ("Impersonate-Extra-acme.com%2Fscope", "a b"),
        ("Impersonate-Extra-100%25", "ü"),
    ]


def test_a_user_alone_is_one_header() -> None:
    assert impersonation_headers(Impersonation("jane")) == [("Impersonate-User", "jane")]


@pytest.mark.parametrize("value", ["a\r\nX: y", "a\n", "\x00", "\x7f", "\ud800"])
def test_values_that_no_header_can_carry_are_refused(value: str) -> None:
    with pytest.raises(ConfigError, match="Impersonate-Group contains a character"):
        impersonation_headers(Impersonation("a", groups=[value]))


@given(st.text(min_size=1))
def test_any_key_makes_a_legal_name_that_decodes_to_the_key(key: str) -> None:
    ((name, _),) = impersonation_headers(Impersonation("a", extra={key: ["v"]}))[1:]
    assert re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name)
    encoded = name.removeprefix("Impersonate-Extra-")
    assert unquote_to_bytes(encoded) == key.lower().encode(errors="surrogatepass")
