"""Which resources a server has, over HTTP; the tests of threads are derived from these."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from kubeapi import AsyncClientset
from support.definitions import custom_definition
from support.raw_server import RawServer
from support.server import failure, ok, reply

from clientgen.runtime._async.discovery import AsyncDiscovery, discovery_of
from clientgen.runtime._config.cluster_config import ClusterConfig, TlsConfig
from clientgen.runtime._discovery.snapshots import TTL_SECONDS
from clientgen.runtime.aio import AsyncRest
from clientgen.runtime.errors import (
    ApiError,
    DecodeError,
    DiscoveryFailed,
    Forbidden,
    InternalError,
    NoResourceMatch,
    NotFound,
    RequestTimeout,
)
from clientgen.testing import FakeClock, FakeCluster, LocalServer

NAMES = {"plural": "crontabs", "kind": "CronTab", "shortNames": ["ct"]}
CRON_TABS = custom_definition("stable.example.com", "CronTab", names=NAMES)
WARNING = "discovery of metrics.k8s.io/v1beta1: "


class Counted:
    """A cluster whose discovery requests are counted."""

    def __init__(self, **options):
        self.cluster = FakeCluster(**options)
        self.asked = []
        handle = self.cluster.server.handle

        def counting(request):
            answer = handle(request)
            self.asked.append((request.target, answer.status))
            return answer

        self.cluster.server.handle = counting

    def take(self):
        asked, self.asked = self.asked, []
        return sorted(asked)


BOTH = [("/api", 200), ("/apis", 200)]
UNCHANGED = [("/api", 304), ("/apis", 304)]


# ---- asking -----------------------------------------------------------------------------------


async def test_a_server_is_asked_once_by_two_requests():
    counted = Counted(crds=[CRON_TABS])
    with LocalServer(counted.cluster) as server:
        async with AsyncClientset.from_config(server.kubeconfig) as k:
            discovery = discovery_of(k.rest)
            assert counted.take() == []
            assert str(await discovery.resource("deploy")) == "deployments.v1.apps"
            assert counted.take() == BOTH
            crontab = await discovery.resource("ct")
            assert str(crontab) == "crontabs.v1.stable.example.com"
            everything = await discovery.api_resources()
            assert crontab in everything
            assert len(await discovery.api_resources(all_versions=True)) > len(everything)
            assert "pods" in [each.name for each in await discovery.resources("all")]
            assert discovery.failures == ()
            assert counted.take() == []
            assert discovery_of(k.rest) is discovery


async def test_an_older_server_is_asked_for_each_group_version(caplog):
    new = Counted()
    old = Counted(aggregated_discovery=False)
    found = []
    for counted in (new, old):
        counted.cluster.break_group("metrics.k8s.io/v1beta1")
        with LocalServer(counted.cluster) as server:
            async with AsyncClientset.from_config(server.kubeconfig) as k:
                discovery = discovery_of(k.rest)
                found.append(await discovery.api_resources(all_versions=True))
                assert [each.group for each in discovery.failures] == ["metrics.k8s.io"]
    assert [plainly(each) for each in found[0]] == [plainly(each) for each in found[1]]
    asked = old.take()
    assert len(asked) == len(set(asked)) == 2 + len({e.api_version for e in found[1]}) + 1
    assert ("/apis/metrics.k8s.io/v1beta1", 503) in asked
    assert [text.startswith(WARNING) for text in caplog.messages] == [True, True]


def plainly(resource):
    return (str(resource), resource.kind, resource.verbs, resource.short_names, resource.categories,
            sorted((each.name, each.kind) for each in resource.subresources))  # fmt: skip


async def test_a_group_that_is_not_available_is_an_error_only_for_who_asks_for_it(caplog):
    cluster = FakeCluster()
    cluster.break_group("metrics.k8s.io/v1beta1")
    async with cluster.clientset(AsyncClientset) as k:
        discovery = discovery_of(k.rest)
        assert await discovery.resource("pods")
        assert len(caplog.messages) == 1
        with pytest.raises(DiscoveryFailed, match=r"metrics\.k8s\.io/v1beta1"):
            await discovery.resource("pods.metrics.k8s.io")
        cluster.mend_group("metrics.k8s.io/v1beta1")
        with pytest.raises(NoResourceMatch):
            await discovery.resource("pods.metrics.k8s.io")
        assert discovery.failures == ()
        with pytest.raises(ValueError, match="must be a group and a version"):
            cluster.break_group("v1")


async def test_a_kind_that_is_new_is_there_after_one_miss():
    counted = Counted()
    async with counted.cluster.clientset(AsyncClientset) as k:
        discovery = discovery_of(k.rest)
        await discovery.resource("pods")
        counted.cluster.add(CRON_TABS)
        assert await discovery.resource("crontabs")
        assert counted.take() == [("/api", 200), ("/api", 304), ("/apis", 200), ("/apis", 200)]


async def test_a_miss_of_what_was_just_asked_for_is_believed():
    counted = Counted()
    async with counted.cluster.clientset(AsyncClientset) as k:
        discovery = discovery_of(k.rest)
        with pytest.raises(NoResourceMatch):
            await discovery.resource("widgets")
        assert counted.take() == BOTH
        with pytest.raises(NoResourceMatch):
            await discovery.resources("widgets")
        assert counted.take() == UNCHANGED


async def test_misses_do_not_ask_without_end():
    clock = FakeClock()
    counted = Counted()
    async with counted.cluster.clientset(AsyncClientset) as k:
        discovery = AsyncDiscovery(k.rest, clock=clock)
        for _ in range(20):
            with pytest.raises(NoResourceMatch):
                await discovery.resource("widgets")
        with pytest.raises(NoResourceMatch):
            await discovery.resources("pods,widgets")
        assert len(counted.take()) == 2 + 5 * 2
        clock.step(60)
        with pytest.raises(NoResourceMatch):
            await discovery.resources("pods,widgets")
        assert counted.take() == UNCHANGED


async def test_after_ten_minutes_the_server_is_asked_whether_anything_has_changed():
    clock = FakeClock()
    counted = Counted()
    async with counted.cluster.clientset(AsyncClientset) as k:
        discovery = AsyncDiscovery(k.rest, clock=clock)
        await discovery.api_resources()
        assert counted.take() == BOTH
        clock.step(TTL_SECONDS - 1)
        await discovery.api_resources()
        assert counted.take() == []
        clock.step(1)
        assert await discovery.resource("pods")
        assert counted.take() == UNCHANGED
        counted.cluster.add(CRON_TABS)
        discovery.invalidate()
        assert await discovery.resource("crontabs")
        assert counted.take() == [("/api", 304), ("/apis", 200)]


# ---- answers that are not what they should be ----------------------------------------------------

EMPTY = {"/api": ok({"versions": []}), "/apis": ok({"groups": []})}


def answering(answers):
    """A server with an answer for each path."""

    def talk(peer):
        while request := peer.read_request():
            peer.send(answers[request.split(b" ")[1].decode()])

    return RawServer(talk)


async def test_an_error_of_the_server_is_raised_and_not_remembered():
    answers = {**EMPTY, "/apis": failure(403, "Forbidden")}
    with answering(answers) as server:
        async with AsyncRest(ClusterConfig(f"http://127.0.0.1:{server.port}")) as rest:
            discovery = AsyncDiscovery(rest)
            with pytest.raises(Forbidden):
                await discovery.api_resources()
            answers["/apis"] = EMPTY["/apis"]
            assert await discovery.api_resources() == []
            answers["/apis"] = failure(500)
            discovery.invalidate()
            with pytest.raises(InternalError):
                await discovery.resource("pods")
            answers["/apis"] = EMPTY["/apis"]
            with pytest.raises(NoResourceMatch):
                await discovery.resource("pods")


async def test_a_server_without_a_core_group_has_the_others():
    answers = {**EMPTY, "/api": failure(404, "NotFound")}
    with answering(answers) as server:
        async with AsyncRest(ClusterConfig(f"http://127.0.0.1:{server.port}")) as rest:
            assert await AsyncDiscovery(rest).api_resources() == []
            answers["/apis"] = failure(404, "NotFound")
            with pytest.raises(NotFound):
                await AsyncDiscovery(rest).api_resources()


@pytest.mark.parametrize("body", [b"<html>", b"[]", b"null", b"{", b'{"groups": {}}', b"\xff\xfe"])
async def test_an_answer_that_is_no_document_is_told_with_its_path(body):
    with answering({**EMPTY, "/apis": reply(200, body)}) as server:
        async with AsyncRest(ClusterConfig(f"http://127.0.0.1:{server.port}")) as rest:
            with pytest.raises(DecodeError, match=r"^/apis is not a discovery document"):
                await AsyncDiscovery(rest).api_resources()


async def test_a_group_version_whose_connection_breaks_is_not_available(caplog):
    groups = [{"name": "a.example", "versions": [{"version": "v1"}, {"version": "v2"}]}]
    answers = {
        **EMPTY,
        "/apis": ok({"groups": groups}),
        "/apis/a.example/v1": b"nonsense\r\n\r\n",
        "/apis/a.example/v2": ok({"resources": [{"name": "xs", "kind": "X"}]}),
    }
    with answering(answers) as server:
        async with AsyncRest(
            ClusterConfig(f"http://127.0.0.1:{server.port}"), max_retries=0
        ) as rest:
            discovery = AsyncDiscovery(rest)
            assert str(await discovery.resource("xs")) == "xs.v2.a.example"
            assert [each.version for each in discovery.failures] == ["v1"]
            assert len(caplog.messages) == 1


@pytest.mark.parametrize("etag", ['"a\tb"', '"' + "x" * 300 + '"', "bare", '"\u00e9"', ""])
async def test_what_could_not_be_sent_back_as_a_tag_is_not(etag):
    aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
    whole = b'{"items":[]}'
    length = f"Content-Length: {len(whole)}"
    lines = ["HTTP/1.1 200 OK", f"Content-Type: {aggregated}", length]
    answer = "\r\n".join([*lines, *([f"ETag: {etag}"] if etag else []), "", ""]).encode() + whole
    seen = []

    def talk(peer):
        while request := peer.read_request():
            seen.append(request.lower())
            peer.send(answer)

    with RawServer(talk) as server:
        async with AsyncRest(ClusterConfig(f"http://127.0.0.1:{server.port}")) as rest:
            discovery = AsyncDiscovery(rest)
            assert await discovery.api_resources() == []
            discovery.invalidate()
            assert await discovery.api_resources() == []
    assert len(seen) == 4
    assert not any(b"if-none-match" in request for request in seen)


async def test_a_304_that_nobody_asked_for_is_an_error():
    with answering({**EMPTY, "/apis": b"HTTP/1.1 304 Not Modified\r\n\r\n"}) as server:
        async with AsyncRest(ClusterConfig(f"http://127.0.0.1:{server.port}")) as rest:
            with pytest.raises(ApiError) as raised:
                await AsyncDiscovery(rest).api_resources()
            assert raised.value.code == 304


async def test_a_deadline_is_that_of_the_whole_discovery():
    with RawServer(lambda peer: peer.wait()) as server:
        async with AsyncRest(ClusterConfig(f"http://127.0.0.1:{server.port}")) as rest:
            discovery = AsyncDiscovery(rest)
            with pytest.raises(RequestTimeout):
                await discovery.resource("pods", timeout=0.05)


# ---- on disk ------------------------------------------------------------------------------------


def files(folder):
    return sorted(path for path in Path(folder).rglob("*") if path.is_file())


async def test_what_came_over_tls_is_kept_for_other_programs(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    counted = Counted()
    with LocalServer(counted.cluster, tls=True) as server:
        for number in range(3):
            async with AsyncClientset.from_config(server.kubeconfig) as k:
                assert str(await discovery_of(k.rest).resource("deploy")) == "deployments.v1.apps"
                assert counted.take() == ([] if number else BOTH)
        (kept,) = files(tmp_path)
        assert kept.parent == tmp_path / "cache" / "clientgen" / "discovery"
        assert kept.name.startswith(f"127.0.0.1_{server.port}-")
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600
        assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700
        # A kind that is new is a miss, for which the server is asked.
        counted.cluster.add(CRON_TABS)
        async with AsyncClientset.from_config(server.kubeconfig) as k:
            assert await discovery_of(k.rest).resource("crontabs")
            assert counted.take() == [("/api", 304), ("/apis", 200)]


async def test_what_did_not_come_over_tls_is_kept_only_where_somebody_says_so(tmp_path):
    counted = Counted()
    folder = tmp_path / "discovery"
    with LocalServer(counted.cluster) as server:
        for options, asked in (
            ({}, BOTH),
            ({"discovery_cache": False}, BOTH),
            ({"discovery_cache": folder}, BOTH),
            ({"discovery_cache": str(folder)}, []),
        ):
            async with AsyncClientset.from_config(server.kubeconfig, **options) as k:
                await discovery_of(k.rest).api_resources()
            assert counted.take() == asked
    assert [path.parent for path in files(tmp_path)] == [folder]


@pytest.mark.parametrize("where", [True, "folder"])
async def test_what_nobody_verified_is_neither_kept_nor_compared(tmp_path, monkeypatch, where):
    """Whoever answers there would say which resources verified connections find."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    options = {"discovery_cache": where if where is True else tmp_path}
    counted = Counted()
    with LocalServer(counted.cluster, tls=True) as server:
        authority = tmp_path / "authority.pem"
        authority.write_bytes(server.certificate_authority)
        # So that both connections have the same identity: that of the system's authorities.
        monkeypatch.setenv("SSL_CERT_FILE", str(authority))
        verified = ClusterConfig(server.url)
        unverified = ClusterConfig(server.url, tls=TlsConfig(insecure=True))
        before = files(tmp_path)
        for config, asked in (
            (unverified, BOTH),
            (verified, BOTH),
            (unverified, BOTH),
            (verified, []),
        ):
            async with AsyncClientset(AsyncRest(config, **options)) as k:
                await discovery_of(k.rest).api_resources()
            assert counted.take() == asked
            if config is verified:  # what is kept stays what was verified
                counted.cluster.add(CRON_TABS)
    (kept,) = set(files(tmp_path)) - set(before)
    assert b"crontabs" not in kept.read_bytes()


async def test_nothing_is_kept_of_who_does_not_want_it(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with LocalServer(tls=True) as server:
        async with AsyncClientset.from_config(server.kubeconfig, discovery_cache=False) as k:
            await discovery_of(k.rest).api_resources()
    assert files(tmp_path) == []


async def test_a_file_that_is_ten_minutes_old_saves_the_documents_but_not_the_question(tmp_path):
    clock = FakeClock()
    counted = Counted()
    for asked in (BOTH, [], UNCHANGED, []):
        async with counted.cluster.clientset(AsyncClientset, discovery_cache=tmp_path) as k:
            await AsyncDiscovery(k.rest, clock=clock).api_resources()
        assert counted.take() == asked
        clock.step(TTL_SECONDS / 2)


async def test_documents_of_an_older_server_are_kept_too(tmp_path, caplog):
    counted = Counted(aggregated_discovery=False)
    counted.cluster.break_group("metrics.k8s.io/v1beta1")
    for number in range(2):
        async with counted.cluster.clientset(AsyncClientset, discovery_cache=tmp_path) as k:
            discovery = AsyncDiscovery(k.rest)
            assert str(await discovery.resource("deploy")) == "deployments.v1.apps"
            assert [each.group for each in discovery.failures] == ["metrics.k8s.io"]
        assert bool(counted.take()) is (number == 0)
    assert len(caplog.messages) == 1


def truncated(path):
    path.write_bytes(path.read_bytes()[:-10])


def of_another_server(path):
    value = json.loads(path.read_bytes())
    path.write_bytes(json.dumps({**value, "server": "https://other"}).encode())


def of_another_format(path):
    value = json.loads(path.read_bytes())
    path.write_bytes(json.dumps({**value, "format": 2}).encode())


def from_the_future(path):
    value = json.loads(path.read_bytes())
    path.write_bytes(json.dumps({**value, "time": value["time"] + 1e6}).encode())


def without_time(path):
    path.write_bytes(path.read_bytes().replace(b'"time":', b'"time":1e999,"was":'))


def without_documents(path):
    value = json.loads(path.read_bytes())
    path.write_bytes(json.dumps({**value, "documents": value["documents"][:1]}).encode())


def with_other_documents(path):
    value = json.loads(path.read_bytes())
    for document in value["documents"]:
        document["body"] = {"items": 1}
    path.write_bytes(json.dumps(value).encode())


def huge(path):
    with path.open("ab") as file:
        file.truncate(1 << 40)


def writable_for_others(path):
    path.chmod(0o666)


def a_link(path):
    other = path.with_name("other")
    path.rename(other)
    path.symlink_to(other)


def a_folder(path):
    path.unlink()
    path.mkdir()


def a_pipe(path):
    path.unlink()
    os.mkfifo(path)


def garbage(path):
    path.write_bytes(b"\xff\x00[[[[")


def nested(path):
    path.write_bytes(b"[" * 100_000)


@pytest.mark.parametrize(
    "attack",
    [
        truncated,
        of_another_server,
        of_another_format,
        from_the_future,
        without_time,
        without_documents,
        with_other_documents,
        huge,
        writable_for_others,
        a_link,
        a_folder,
        a_pipe,
        garbage,
        nested,
    ],
)
async def test_a_file_that_is_not_ours_or_broken_is_as_if_it_were_not_there(tmp_path, attack):
    counted = Counted()
    for _ in range(2):
        async with counted.cluster.clientset(AsyncClientset, discovery_cache=tmp_path) as k:
            assert await discovery_of(k.rest).resource("deploy")
        assert [path for path, _ in counted.take()] == ["/api", "/apis"]
        for kept in {*tmp_path.glob("*.json")} - attacked(tmp_path):
            attack(kept)


def attacked(folder):
    """What cannot be attacked again."""
    return {path for path in folder.glob("*.json") if not path.is_file()}


async def test_nothing_is_ever_deleted_or_written_elsewhere_by_a_link(tmp_path):
    precious = tmp_path / "precious"
    precious.write_text("kept")
    folder = tmp_path / "cache"
    counted = Counted()
    async with counted.cluster.clientset(AsyncClientset, discovery_cache=folder) as k:
        await discovery_of(k.rest).api_resources()
        (kept,) = files(folder)
        kept.unlink()
        kept.symlink_to(precious)
        discovery_of(k.rest).invalidate()
        await discovery_of(k.rest).api_resources()
    assert precious.read_text() == "kept"
    assert kept.is_file()
    assert not kept.is_symlink()


@pytest.mark.parametrize("where", ["/dev/null/x", "/proc/nowhere", "a\0b"])
async def test_a_folder_that_cannot_be_written_does_no_harm(where):
    async with FakeCluster().clientset(AsyncClientset, discovery_cache=where) as k:
        assert await discovery_of(k.rest).api_resources()


async def test_a_user_without_a_home_has_no_cache(monkeypatch):
    for name in ("HOME", "XDG_CACHE_HOME", "LOGNAME", "USER"):
        monkeypatch.delenv(name, raising=False)

    def no_home():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", no_home)
    with LocalServer(tls=True) as server:
        async with AsyncClientset.from_config(server.kubeconfig) as k:
            assert await discovery_of(k.rest).api_resources()
