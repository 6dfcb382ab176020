"""Every field that can be broken, and the words about it."""

from __future__ import annotations

import base64
import contextlib
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clientgen.runtime._config.kubeconfig import load_config
from clientgen.runtime.errors import ConfigError

SECRET = "hunter2-do-not-show"
PEM = base64.b64encode(b"-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n").decode()
V1 = "client.authentication.k8s.io/v1"
EXEC = {"command": "get-token", "apiVersion": V1, "interactiveMode": "Never"}


def load(
    directory: Path,
    *,
    cluster: dict[str, Any] | None = None,
    user: dict[str, Any] | None = None,
    context: dict[str, Any] | None = None,
) -> Any:
    content = {
        "clusters": [{"name": "c", "cluster": {"server": "https://x:6443"} | (cluster or {})}],
        "users": [{"name": "dev", "user": user or {}}],
        "contexts": [{"name": "d", "context": {"cluster": "c", "user": "dev"} | (context or {})}],
        "current-context": "d",
    }
    path = directory / "config"
    path.write_text(json.dumps(content))
    return load_config(path, env={"HOME": str(directory)})


def said(directory: Path, **parts: dict[str, Any]) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        load(directory, **parts)
    assert SECRET not in str(caught.value)
    return str(caught.value).splitlines()


QUOTES = "put it in quotes"
CLUSTER: list[tuple[dict[str, Any], list[str]]] = [
    ({"server": ""}, ["server is missing; set it to the URL of the API server"]),
    ({"server": None}, ["server is missing; set it to the URL of the API server"]),
    ({"server": 6443}, [f"server must be a string, not a number; {QUOTES}"]),
    ({"server": ["x"]}, [f"server must be a string, not a list; {QUOTES}"]),
    ({"server": "ftp://x"}, ["server has the scheme 'ftp'; it must be https or http"]),
    ({"server": "https://"}, ["server is not a URL: the host is missing"]),
    ({"server": "https://x:y"}, ["server is not a URL: the host or the port is malformed"]),
    ({"server": "https://[x"}, ["server is not a URL: the host or the port is malformed"]),
    ({"server": "https://x:0"}, ["server has the port 0"]),
    ({"server": "https://a b"}, ["server contains a space or a control character"]),
    ({"server": "x/prefix"}, ["server is neither a URL nor host:port; begin with https://"]),
    (
        {"server": f"https://me:{SECRET}@x"},
        ["server contains a user name; put username and password into the user entry"],
    ),
    ({"proxy-url": "x:1"}, ["proxy-url must begin with http://, https:// or socks5://"]),
    (
        {"proxy-url": f"ftp://me:{SECRET}@x"},
        ["proxy-url must begin with http://, https:// or socks5://"],
    ),
    ({"proxy-url": "http://x:y"}, ["proxy-url is not a URL: the host or the port is malformed"]),
    ({"proxy-url": True}, [f"proxy-url must be a string, not true or false; {QUOTES}"]),
    ({"tls-server-name": 5}, [f"tls-server-name must be a string, not a number; {QUOTES}"]),
    (
        {"insecure-skip-tls-verify": "true"},
        ["insecure-skip-tls-verify must be true or false without quotes, not a string"],
    ),
    (
        {"disable-compression": 1},
        ["disable-compression must be true or false without quotes, not a number"],
    ),
    (
        {"certificate-authority": "/none/ca.crt"},
        ["certificate-authority: cannot read /none/ca.crt: No such file or directory"],
    ),
    (
        {"certificate-authority-data": "/etc/ca.crt!"},
        [
            (
                "certificate-authority-data is not base64; "
                "use certificate-authority for the path of a file"
            )
        ],
    ),
    (
        {"certificate-authority-data": base64.b64encode(PEM.encode()).decode()},
        [
            (
                "certificate-authority-data is base64 of something that is not PEM; "
                "encode the PEM file once"
            )
        ],
    ),
    (
        {"certificate-authority": "config", "certificate-authority-data": PEM},
        [("certificate-authority and certificate-authority-data are both set; remove one of them")],
    ),
    (
        {"certificate-authority-data": PEM, "insecure-skip-tls-verify": True},
        [
            (
                "insecure-skip-tls-verify is set together with a certificate-authority; "
                "remove one of them"
            )
        ],
    ),
    ({"extensions": {}}, ["extensions must be a list, not a mapping"]),
    ({"extensions": [5]}, ["extensions[0] must be a mapping, not a number"]),
]


@pytest.mark.parametrize(("cluster", "problems"), CLUSTER)
def test_a_broken_cluster_is_explained(
    tmp_path: Path, cluster: dict[str, Any], problems: list[str]
) -> None:
    expected = [f'~/config: cluster "c": {problem}' for problem in problems]
    assert said(tmp_path, cluster=cluster) == expected


HEADER = "contains a space or a character that HTTP headers do not allow"
USER: list[tuple[dict[str, Any], list[str]]] = [
    ({"token": 5}, [f"token must be a string, not a number; {QUOTES}"]),
    ({"token": f"{SECRET}\nX: y"}, [f"token {HEADER}"]),
    ({"token": f"{SECRET}\N{EN DASH}"}, [f"token {HEADER}"]),
    (
        {"tokenFile": "/none/token"},
        ["tokenFile: cannot read /none/token: No such file or directory"],
    ),
    (
        {"token": SECRET, "username": "me", "password": SECRET},
        [
            (
                "more than one authentication method (token, username, password); "
                "keep either the token or username and password"
            )
        ],
    ),
    (
        {"tokenFile": "config", "username": "me"},
        [
            (
                "more than one authentication method (tokenFile, username); "
                "keep either the token or username and password"
            )
        ],
    ),
    ({"username": []}, []),
    ({"password": {"a": SECRET}}, [f"password must be a string, not a mapping; {QUOTES}"]),
    (
        {"client-certificate-data": PEM},
        ["client-certificate is set without a key; add client-key or client-key-data"],
    ),
    (
        {"client-key-data": PEM},
        [
            (
                "client-key is set without a certificate; "
                "add client-certificate or client-certificate-data"
            )
        ],
    ),
    (
        {"client-certificate-data": PEM, "client-key-data": f"{SECRET}!"},
        ["client-key-data is not base64; use client-key for the path of a file"],
    ),
    (
        {"client-certificate": "config", "client-key": "none.key"},
        ["client-key: cannot read DIR/none.key: No such file or directory"],
    ),
    (
        {"client-certificate-data": PEM, "client-certificate": "config", "client-key": "config"},
        ["client-certificate and client-certificate-data are both set; remove one of them"],
    ),
    (
        {"client-certificate-data": PEM, "client-key-data": PEM, "client-key": "config"},
        ["client-key and client-key-data are both set; remove one of them"],
    ),
    ({"as-uid": "7"}, ["as-uid is set without as; add the user to impersonate"]),
    ({"as-groups": ["g"]}, ["as-groups is set without as; add the user to impersonate"]),
    (
        {"as-user-extra": {"k": ["v"]}},
        ["as-user-extra is set without as; add the user to impersonate"],
    ),
    ({"as": "me", "as-groups": "g"}, ["as-groups must be a list, not a string"]),
    ({"as": "me", "as-groups": [1]}, [f"as-groups[0] must be a string, not a number; {QUOTES}"]),
    ({"as": "me", "as-user-extra": ["v"]}, ["as-user-extra must be a mapping, not a list"]),
    ({"as": "me", "as-user-extra": {"k": "v"}}, ["as-user-extra.k must be a list, not a string"]),
    (
        {"as": "me\r\nX: y"},
        ["impersonation: Impersonate-User contains a character that HTTP headers do not allow"],
    ),
    (
        {"auth-provider": {"name": "gcp", "config": {"access-token": SECRET}}},
        [
            (
                'auth-provider "gcp" is the legacy mechanism and is not supported; use exec, '
                "a credential plugin: install gke-gcloud-auth-plugin and run "
                "`gcloud container clusters get-credentials`"
            )
        ],
    ),
    (
        {"auth-provider": {"name": "own"}},
        [
            (
                'auth-provider "own" is the legacy mechanism and is not supported; use exec, '
                "a credential plugin: ask the administrator of the cluster for an exec plugin"
            )
        ],
    ),
    (
        {"auth-provider": {"name": "oidc"}, "exec": EXEC},
        ["auth-provider and exec are both set; remove auth-provider"],
    ),
    ({"auth-provider": "oidc"}, ["auth-provider must be a mapping, not a string"]),
    ({"exec": "get-token"}, ["exec must be a mapping, not a string"]),
    (
        {"exec": {}},
        [
            "exec: command is missing; set it to the program to run",
            f"exec: apiVersion is missing; set it to {V1}",
        ],
    ),
    (
        {"exec": EXEC | {"interactiveMode": ""}},
        ["exec: interactiveMode is missing; set it to Never, IfAvailable or Always"],
    ),
    (
        {"exec": EXEC | {"interactiveMode": "never"}},
        ['exec: interactiveMode is "never"; it must be Never, IfAvailable or Always'],
    ),
    (
        {"exec": EXEC | {"apiVersion": f"{V1}alpha1"}},
        [
            (
                f'exec: apiVersion "{V1}alpha1" is not supported; update the plugin and use '
                f"{V1} or {V1}beta1"
            )
        ],
    ),
    (
        {"exec": EXEC | {"args": ["a", 5]}},
        [f"exec: args[1] must be a string, not a number; {QUOTES}"],
    ),
    (
        {"exec": EXEC | {"env": [{"value": SECRET}]}},
        ["exec: env[0]: name is missing; set it to the name of the environment variable"],
    ),
    (
        {"exec": EXEC | {"env": [{"name": "A", "value": 5}]}},
        [f"exec: env[0]: value must be a string, not a number; {QUOTES}"],
    ),
    ({"exec": EXEC | {"env": {"A": SECRET}}}, ["exec: env must be a list, not a mapping"]),
    (
        {"exec": EXEC | {"provideClusterInfo": "yes"}},
        ["exec: provideClusterInfo must be true or false without quotes, not a string"],
    ),
]


@pytest.mark.parametrize(("user", "problems"), [each for each in USER if each[1]])
def test_a_broken_user_is_explained(
    tmp_path: Path, user: dict[str, Any], problems: list[str]
) -> None:
    directory = str(tmp_path)
    lines = [line.replace(directory, "DIR") for line in said(tmp_path, user=user)]
    assert lines == [f'~/config: user "dev": {problem}' for problem in problems]


def test_a_broken_context_is_explained(tmp_path: Path) -> None:
    context = {"cluster": "typo", "user": "nobody", "namespace": "../x"}
    assert said(tmp_path, context=context) == [
        (
            '~/config: context "d": namespace "../x" is not a DNS label: '
            'lower-case letters, digits and "-"'
        ),
        '~/config: context "d": cluster "typo" does not exist; existing names: c',
        '~/config: context "d": user "nobody" does not exist; existing names: dev',
    ]
    assert said(tmp_path, context={"cluster": ""}) == [
        '~/config: context "d": cluster is missing; set it to the name of a cluster'
    ]


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=4,
)
CLUSTER_FIELDS = sorted({key for cluster, _ in CLUSTER for key in cluster})
USER_FIELDS = sorted({key for user, _ in USER for key in user})
EXEC_FIELDS = [*EXEC, "args", "env", "provideClusterInfo", "installHint"]


def some(names: list[str]) -> st.SearchStrategy[dict[str, Any]]:
    return st.dictionaries(st.sampled_from(names), ANYTHING, max_size=3)


@given(
    cluster=some(CLUSTER_FIELDS),
    user=some(USER_FIELDS),
    plugin=st.none() | some(EXEC_FIELDS),
    context=some(["cluster", "user", "namespace"]),
    top=some(["apiVersion", "kind", "clusters", "users", "contexts", "current-context"]),
)
def test_any_values_load_or_raise_config_errors(
    cluster: Any, user: Any, plugin: Any, context: Any, top: Any
) -> None:
    with tempfile.TemporaryDirectory() as directory:
        with contextlib.suppress(ConfigError):
            load(Path(directory), cluster=cluster, user=user | {"exec": plugin}, context=context)
        path = Path(directory, "config")
        path.write_text(json.dumps(json.loads(path.read_text()) | top))
        with contextlib.suppress(ConfigError):
            load_config(path, env={})


def test_everything_wrong_is_said_at_once(tmp_path: Path) -> None:
    problems = said(
        tmp_path,
        cluster={"server": "ftp://x", "proxy-url": "x"},
        user={"token": 5, "exec": {"args": {}}},
        context={"namespace": 5},
    )
    assert len(problems) == 7


def test_a_token_file_is_not_looked_for_where_no_token_is_sent(tmp_path: Path) -> None:
    user = {"tokenFile": "/none/token"}
    assert load(tmp_path, cluster={"server": "http://x"}, user=user).server == "http://x"


@pytest.mark.parametrize("text", [".nan", "!!binary a", "&a [*a]", "{[a]: b}"])
def test_an_extension_that_json_cannot_say_is_explained(tmp_path: Path, text: str) -> None:
    path = tmp_path / "config"
    path.write_text(
        "current-context: d\n"
        "contexts: [{name: d, context: {cluster: c}}]\n"
        "clusters:\n"
        "- name: c\n"
        "  cluster:\n"
        "    server: https://x\n"
        "    extensions:\n"
        f"    - {{name: client.authentication.k8s.io/exec, extension: {text}}}\n"
    )
    with pytest.raises(ConfigError) as caught:
        load_config(path, env={"HOME": str(tmp_path)})
    assert str(caught.value) == "~/config: the YAML is not valid in a kubeconfig"
