"""What is imported is declared, and what is used of the insides of libraries is still there.

No pattern is of a kind that a supported Python matches wrongly.

The last part is a canary: it fails, and says what is gone, as soon as a version of a library is
installed that has been rebuilt inside.
"""

from __future__ import annotations

import ast
import asyncio
import importlib.metadata
import inspect
import io
import re
import socket
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from http.client import HTTPResponse
from pathlib import Path

import aiohttp
import pytest
import urllib3
from aiohttp.client_proto import ResponseHandler
from urllib3.connection import HTTPConnection

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
DISTRIBUTIONS = importlib.metadata.packages_distributions()
STANDARD = {*sys.stdlib_module_names, "annotationlib", "compression"}  # new in Python 3.14
PLUGIN = ("pytest_plugin.py", "rbac_run.py", "real_run.py")

# What may be imported in which part: the dependencies, and those of these extras.
PARTS = {
    "generator": ["generator"],
    "cli": ["generator", "reload"],
    "_openapi": ["generator"],
    "_apiextensions": ["testing"],
    "testing": ["testing"],
    "runtime": ["metrics", "socks", "tracing", "zstd"],
}


def normal(requirement: str) -> str:
    """The name of a distribution, as all ways of writing it are compared."""
    name = re.match(r"[\w.-]+", requirement)
    assert name
    return re.sub(r"[-_.]+", "-", name[0]).lower()


def imports(path: Path) -> Iterator[str]:
    """The packages of others that a module imports, wherever in it, and those it names so."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            names = [node.module]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            names = [a.value for a in node.args if isinstance(a, ast.Constant)]
        for name in names:
            top = name.partition(".")[0]
            if top and top not in STANDARD and top != "clientgen":
                yield top


FOLDERS = [path.name for path in (ROOT / "clientgen").iterdir() if (path / "__init__.py").exists()]


@pytest.mark.slow
@pytest.mark.parametrize("part", sorted(FOLDERS))
def test_everything_imported_is_declared(part):
    extras = PARTS.get(part, [])
    declared = {normal(each) for each in PROJECT["dependencies"]}
    declared |= {normal(each) for extra in extras for each in EXTRAS[extra]}
    folder = ROOT / "clientgen" / part
    for path in folder.rglob("*.py"):
        if "starter" in path.parts or path.name in PLUGIN:
            continue  # the user's own program; a plugin of pytest has pytest
        for name in imports(path):
            known = {normal(each) for each in DISTRIBUTIONS.get(name, [name])}
            assert known & declared, f"{path.relative_to(ROOT)} imports {name}: declare it"


def test_an_import_of_what_is_not_declared_is_noticed(tmp_path):
    module = tmp_path / "module.py"
    module.write_text(
        "import os\nimport yarl.x\nfrom . import a\nfrom multidict import b\n"
        "def f():\n    from aiohttp import c\n    import_module('aiohttp_socks')\n"
    )
    assert set(imports(module)) == {"yarl", "multidict", "aiohttp", "aiohttp_socks"}


# ------------------------------------------------------------------- faults of older interpreters

# Prints the patterns of ours that are compiled when everything is imported, and hold what Python
# matches wrongly before 3.11.5: possessive quantifiers and atomic groups (gh-106052).
WRONGLY_MATCHED = r"""
import importlib, sys
from re import _compiler, _parser

compiled = _compiler.compile

def opcodes(tree):
    for code, argument in tree:
        yield str(code)
        for part in argument if isinstance(argument, (tuple, list)) else (argument,):
            for each in part if isinstance(part, list) else (part,):
                if isinstance(each, _parser.SubPattern):
                    yield from opcodes(each)

def watched(pattern, flags=0):
    frame = sys._getframe(1)
    while frame.f_globals["__name__"].partition(".")[0] == "re":
        frame = frame.f_back
    if isinstance(pattern, (str, bytes)) and frame.f_globals["__name__"].startswith("clientgen"):
        found = set(opcodes(_parser.parse(pattern, flags)))
        for code in found & {"POSSESSIVE_REPEAT", "ATOMIC_GROUP"}:
            print(f"{frame.f_globals['__name__']}:{frame.f_lineno}: {code}")
    return compiled(pattern, flags)

_compiler.compile = watched
for name in sys.argv[1:]:
    importlib.import_module(name)
"""


def test_no_pattern_is_of_a_kind_that_the_oldest_python_matches_wrongly():
    names = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in sorted((ROOT / "clientgen").rglob("*.py"))
        if "\nimport re\n" in path.read_text("utf-8") and "starter" not in path.parts
    ]
    assert "clientgen.generator.layout_check" in names
    command = [sys.executable, "-c", WRONGLY_MATCHED, *names]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


# ------------------------------------------------------------------------ insides of libraries


def has(owner: object, name: str, why: str) -> None:
    """Fail, and say why it matters, when a library has no longer what is used of its insides."""
    kind = owner if inspect.isclass(owner) else type(owner)
    library = kind.__module__.partition(".")[0]
    version = importlib.metadata.version(library) if library in DISTRIBUTIONS else sys.version
    assert hasattr(owner, name), (
        f"{kind.__qualname__}.{name} is gone in {library} {version}: {why}. "
        "Find its successor, or give the library an upper bound."
    )


def test_the_canary_says_what_is_gone_and_why_it_matters():
    with pytest.raises(
        AssertionError, match=r"ClientSession\._gone is gone in aiohttp \d.*: because"
    ):
        has(aiohttp.ClientSession, "_gone", "because")


def test_aiohttp_can_be_told_not_to_repeat_requests():
    async def look() -> None:
        async with aiohttp.ClientSession() as session:
            has(session, "_retry_connection", "writes would be sent twice (_async/transport.py)")
            assert session._retry_connection is True

    asyncio.run(look())
    read = inspect.getsource(aiohttp.ClientSession._request)
    assert "self._retry_connection" in read, "aiohttp reads another attribute now"


def test_aiohttp_releases_connections_by_a_method_that_can_be_overridden():
    has(aiohttp.TCPConnector, "_release", "_Connector of _async/transport.py overrides it")
    parameters = inspect.signature(aiohttp.TCPConnector._release).parameters
    assert list(parameters) == ["self", "key", "protocol", "should_close"]
    assert parameters["should_close"].kind is inspect.Parameter.KEYWORD_ONLY


def test_aiohttp_sends_requests_by_a_method_that_can_be_overridden():
    has(aiohttp.ClientRequest, "send", "_Request of _async/transport.py overrides it")
    assert list(inspect.signature(aiohttp.ClientRequest.send).parameters) == ["self", "conn"]
    assert "request_class" in inspect.signature(aiohttp.ClientSession).parameters
    read = inspect.getsource(aiohttp.ClientSession._request)
    assert "req.send(conn)" in read, "aiohttp sends requests by another method now"


def test_aiohttp_has_its_idle_connections_in_a_mapping():
    async def look() -> None:
        async with aiohttp.TCPConnector() as connector:
            has(connector, "_conns", "drop_idle of _async/transport.py closes what is in it")
            assert not connector._conns.values()

    asyncio.run(look())


@pytest.mark.parametrize("name", ["abort", "should_close", "read_timeout", "start_timeout"])
def test_aiohttp_has_protocols_that_can_be_limited_and_ended(name):
    has(ResponseHandler, name, "streams of _async/transport.py use it")


def test_urllib3_has_connections_whose_class_and_opening_can_be_replaced():
    has(urllib3.HTTPConnectionPool, "ConnectionCls", "_new_pool of _sync/transport.py sets it")
    has(HTTPConnection, "_new_conn", "_timed of _sync/transport.py overrides it")
    has(HTTPConnection, "request", "_timed of _sync/transport.py overrides it")
    has(HTTPConnection, "connect", "_timed of _sync/transport.py overrides it")
    has(HTTPConnection, "response_class", "_timed of _sync/transport.py overrides it")
    has(HTTPConnection("127.0.0.1", timeout=1), "timeout", "_timed of _sync/transport.py reads it")


def test_urllib3_and_http_client_lead_to_the_socket_of_an_answer():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        inner = HTTPResponse(ours)
        for name in ("_read_status", "_check_close", "_method"):
            has(inner, name, "FinalResponse of _net/final_response.py uses it")
        with inner:
            outer = urllib3.HTTPResponse(body=inner, preload_content=False)
            has(outer, "_fp", "_socket_of of _sync/transport.py reads it")
            assert outer._fp is inner
            assert inner.fp is not None
            assert isinstance(inner.fp, io.BufferedReader)
            has(inner.fp.raw, "_sock", "_socket_of of _sync/transport.py reads it")
            assert inner.fp.raw._sock is ours
