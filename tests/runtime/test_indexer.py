"""The store of a cache: objects by key, indices, and readers that are not in the way."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable, Iterable
from types import FrameType
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from support.examples import try_examples

from clientgen.runtime._cache import indexer, indices
from clientgen.runtime._cache.indexer import Indexer, meta_namespace_key, split_key
from clientgen.runtime._cache.indices import IndexFailure
from tests.runtime.sample_models import Pod

Pods = Indexer[Pod]


def pod(name: str, namespace: str = "default", *, app: str = "", version: str = "1") -> Pod:
    made = Pod()
    made.metadata.name, made.metadata.namespace = name, namespace
    made.metadata.resource_version = version
    if app:
        made.metadata.labels = {"app": app}
    return made


def app_of(obj: Pod) -> list[str]:
    return [obj.metadata.labels["app"]] if "app" in obj.metadata.labels else []


def names(pods: Iterable[Pod]) -> list[str]:
    return sorted(meta_namespace_key(each) for each in pods)


@pytest.mark.parametrize(
    ("key", "parts"),
    [("default/web-0", ("default", "web-0")), ("node-1", ("", "node-1"))],
)
def test_a_key_is_the_namespace_and_the_name(key: str, parts: tuple[str, str]):
    assert split_key(key) == parts
    assert meta_namespace_key(pod(parts[1], parts[0])) == key


def test_a_key_has_at_most_two_parts():
    with pytest.raises(ValueError, match="'a/b/c' is not a key"):
        split_key("a/b/c")


def test_stored_objects_can_be_read():
    pods = Pods()
    assert (pods.list(), pods.get("default/a"), pods.populated) == ([], None, False)
    first, second = pod("a"), pod("a", version="2")

    assert pods.upsert(first, "1") is None
    assert pods.upsert(second, "2") is first

    assert pods.get("default/a") is second
    assert pods.list() == [second]
    assert pods.keys() == ["default/a"]
    assert pods.resource_version == "2"
    assert pods.populated
    assert "default/a" in pods
    assert len(pods) == 1
    assert repr(pods) == "<Indexer: 1 objects at '2'>"

    assert pods.remove("default/a", "3") is second
    assert pods.remove("default/a", "4") is None
    assert (pods.list(), pods.resource_version) == ([], "4")


def test_a_version_nobody_gave_changes_nothing():
    pods = Pods()
    pods.upsert(pod("a"), "7")
    pods.upsert(pod("b"))
    assert pods.resource_version == "7"


def test_bookmarks_move_the_version_of_a_store_that_is_not_filled_by_that():
    pods = Pods()
    pods.advance("9")
    assert (pods.resource_version, pods.populated) == ("9", False)


def test_lists_are_the_callers_own():
    pods = Pods()
    pods.upsert(pod("a"))
    pods.list().clear()
    pods.by_index("namespace", "default").clear()
    assert len(pods.list()) == len(pods.by_index("namespace", "default")) == 1


def test_every_store_is_indexed_by_namespace():
    pods = Pods()
    pods.upsert(pod("a", "one"))
    pods.upsert(pod("b", "two"))
    pods.upsert(pod("node", ""))

    assert names(pods.by_index("namespace", "one")) == ["one/a"]
    assert pods.index_keys("namespace", "two") == ["two/b"]
    assert pods.by_index("namespace", "three") == []
    assert sorted(pods.index_values("namespace")) == ["one", "two"]


def test_an_index_follows_its_objects_and_forgets_empty_values():
    pods = Pods({"app": app_of})
    pods.upsert(pod("a", app="web"))
    pods.upsert(pod("a", app="db"))
    assert pods.by_index("app", "web") == []
    assert names(pods.by_index("app", "db")) == ["default/a"]
    assert pods.index_values("app") == ["db"]

    pods.upsert(pod("a"))
    assert pods.index_values("app") == []
    pods.upsert(pod("a", app="db"))
    pods.remove("default/a")
    assert pods.index_values("app") == []


def test_an_object_may_have_several_values_each_once():
    pods = Pods({"parts": lambda each: each.metadata.name.split("-")})
    pods.upsert(pod("a-b-a"))
    assert sorted(pods.index_values("parts")) == ["a", "b"]
    pods.upsert(pod("a-b-a", version="2"))
    assert pods.by_index("parts", "a")[0].metadata.resource_version == "2"
    pods.remove("default/a-b-a")
    assert pods.index_values("parts") == []


def test_an_index_added_late_knows_what_is_there_and_what_comes():
    pods = Pods()
    pods.upsert(pod("a", app="web"))
    pods.add_index("app", app_of)
    pods.upsert(pod("b", app="web"))
    pods.replace([pod("c", app="web"), *pods.list()], "5")
    assert names(pods.by_index("app", "web")) == ["default/a", "default/b", "default/c"]
    assert pods.index_names() == ["namespace", "app"]


def test_there_is_one_index_of_a_name():
    pods = Pods({"app": app_of})
    with pytest.raises(ValueError, match="the index 'app' already exists"):
        pods.add_index("app", app_of)
    with pytest.raises(ValueError, match="the index 'namespace' already exists"):
        Pods({"namespace": app_of})


def test_an_index_that_is_not_there_is_named():
    pods = Pods({"app": app_of})
    words = "there is no index 'ap'; the indices are 'namespace', 'app'"
    with pytest.raises(KeyError, match=words):
        pods.by_index("ap", "x")
    with pytest.raises(KeyError, match=words):
        pods.index_keys("ap", "x")
    with pytest.raises(KeyError, match=words):
        pods.index_values("ap")


def test_objects_that_somebody_changed_do_not_stay_behind_in_an_index():
    pods = Pods({"app": app_of})
    cached = pod("a", app="web")
    pods.upsert(cached)
    cached.metadata.labels["app"] = "changed"  # which nobody may do
    pods.remove("default/a")
    assert pods.index_values("app") == []


def test_replacing_swaps_everything_and_gives_what_was_there():
    pods = Pods({"app": app_of})
    old = pod("a", app="web")
    pods.upsert(old, "1")

    before = pods.replace([pod("b", app="db"), pod("c", app="db")], "8")

    assert dict(before) == {"default/a": old}
    assert names(pods.list()) == ["default/b", "default/c"]
    assert pods.index_values("app") == ["db"]
    assert pods.resource_version == "8"


def test_the_later_of_two_listed_objects_with_a_key_wins():
    pods = Pods({"app": app_of})
    pods.replace([pod("a", app="old"), pod("a", app="new")], "1")
    assert names(pods.list()) == ["default/a"]
    assert pods.index_values("app") == ["new"]


def test_a_list_that_breaks_off_changes_nothing():
    pods = Pods()
    pods.upsert(pod("a"), "1")

    def broken() -> Iterable[Pod]:
        yield pod("b")
        raise ConnectionError

    with pytest.raises(ConnectionError):
        pods.replace(broken(), "2")
    assert (pods.keys(), pods.resource_version) == (["default/a"], "1")


def bad(each: Pod) -> list[str]:
    if each.metadata.name.startswith("bad"):
        raise LookupError(each.metadata.name)
    return ["fine"]


def test_an_index_function_that_fails_costs_its_index_one_object_and_is_told_of():
    failures: list[IndexFailure] = []
    pods = Pods({"app": app_of, "bad": bad}, on_index_failure=failures.extend)
    pods.upsert(pod("good", app="web"))
    pods.upsert(pod("bad", app="web"))

    assert [(each.index, each.key, repr(each.error)) for each in failures] == [
        ("bad", "default/bad", "LookupError('bad')")
    ]
    assert names(pods.list()) == names(pods.by_index("app", "web"))
    assert names(pods.by_index("bad", "fine")) == ["default/good"]
    assert names(pods.by_index("namespace", "default")) == ["default/bad", "default/good"]
    assert pods.remove("default/bad") is not None


def test_an_object_on_which_the_function_starts_to_fail_leaves_the_index():
    failing = False

    def sometimes(_each: Pod) -> list[str]:
        if failing:
            raise LookupError
        return ["x"]

    failures: list[IndexFailure] = []
    pods = Pods({"sometimes": sometimes}, on_index_failure=failures.extend)
    pods.upsert(pod("a"))
    failing = True
    pods.upsert(pod("a", version="2"))
    assert pods.by_index("sometimes", "x") == []
    assert len(failures) == 1


def test_failures_are_logged_once_for_an_index_and_a_write(caplog: pytest.LogCaptureFixture):
    pods = Pods({"bad": bad})
    pods.replace([pod("good"), pod("bad-0"), pod("bad-1"), pod("bad-2")], "1")

    [record] = caplog.records
    assert record.levelno == logging.ERROR
    assert record.getMessage() == (
        "index 'bad' failed for 'default/bad-0' and 2 more; this index does not find them"
    )
    assert record.exc_info
    assert isinstance(record.exc_info[1], LookupError)


def test_adding_an_index_that_fails_leaves_the_store_as_it_is(caplog: pytest.LogCaptureFixture):
    pods = Pods()
    pods.upsert(pod("bad"))
    pods.upsert(pod("good"))
    pods.add_index("bad", bad)
    assert names(pods.by_index("bad", "fine")) == ["default/good"]
    assert len(pods) == 2
    assert [each.getMessage() for each in caplog.records] == [
        "index 'bad' failed for 'default/bad'; this index does not find them"
    ]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("web", "a list of values, not the string 'web'"),
        ([1], r"the values of an index must be strings, not \(1,\)"),
        (["a", None], "must be strings"),
        (None, "not iterable"),
    ],
)
def test_a_function_that_gives_something_else_than_texts_has_failed(given: Any, words: str):
    failures: list[IndexFailure] = []
    pods = Pods({"odd": lambda _: given}, on_index_failure=failures.extend)
    pods.upsert(pod("a"))
    [failure] = failures
    assert isinstance(failure.error, TypeError)
    with pytest.raises(TypeError, match=words):
        raise failure.error
    assert pods.index_values("odd") == []


def test_an_index_function_may_read_the_store():
    pods = Pods()
    pods.add_index("siblings", lambda each: [str(len(pods.by_index("namespace", "default")))])
    pods.upsert(pod("a"))
    pods.upsert(pod("b"))
    assert sorted(pods.index_values("siblings")) == ["0", "1"]


# Readers in other threads.


@pytest.fixture
def busy_threads():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def while_writing(write: Callable[[], None], *reads: Callable[[], None]) -> None:
    """Read in threads for as long as this one writes; raises what a reader raised."""
    written = threading.Event()
    failures: list[BaseException] = []

    def reading(read: Callable[[], None]) -> None:
        try:
            read()
            while not written.is_set():
                read()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=reading, args=(read,)) for read in reads]
    for thread in threads:
        thread.start()
    try:
        write()
    finally:
        written.set()
        for thread in threads:
            thread.join()
    if failures:
        raise failures[0]


@pytest.mark.usefixtures("busy_threads")
def test_readers_see_a_relist_whole_or_not_at_all():
    pods = Pods({"app": app_of})
    generations = [
        [pod(f"{number}", app="web", version=str(version)) for number in range(50 + version)]
        for version in range(40)
    ]
    pods.replace(generations[0], "0")

    def write() -> None:
        for _ in range(5):
            for version, generation in enumerate(generations):
                pods.replace(generation, str(version))

    def whole(read: Callable[[], list[Pod]]) -> Callable[[], None]:
        def check() -> None:
            objects = read()
            [version] = {each.metadata.resource_version for each in objects}
            assert len(objects) == 50 + int(version)

        return check

    while_writing(
        write,
        whole(pods.list),
        whole(lambda: pods.by_index("app", "web")),
        whole(lambda: pods.by_index("namespace", "default")),
    )


@pytest.mark.usefixtures("busy_threads")
def test_readers_never_miss_an_object_that_is_updated():
    pods = Pods({"app": app_of})
    pods.replace([pod(f"{number}", app="web") for number in range(20)], "1")

    def write() -> None:
        for version in range(3000):
            pods.upsert(pod(f"{version % 20}", app="web", version=str(version)), str(version))
            pods.upsert(pod(f"new-{version}", app="web"))
            pods.remove(f"default/new-{version}")

    def read() -> None:
        assert len(pods.list()) >= 20
        assert len(pods.keys()) >= 20
        assert len(pods.by_index("app", "web")) >= 20
        assert len(pods.index_keys("namespace", "default")) >= 20

    while_writing(write, read, read)


def at_every_step(write: Callable[[], object], look: Callable[[], None]) -> int:
    """Look between any two instructions of a write, as a thread may; gives how often."""
    looks = 0

    def step(frame: FrameType, event: str, _argument: object) -> Callable[..., Any] | None:
        nonlocal looks
        if frame.f_code.co_filename not in {indexer.__file__, indices.__file__}:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            looks += 1
            look()
        return step

    before = sys.gettrace()
    # Python 3.12 traces instructions only if a frame asked for them before tracing began.
    sys._getframe().f_trace_opcodes = True
    sys.settrace(step)
    try:
        write()
    finally:
        sys.settrace(before)
    return looks


WRITES: list[Callable[[Pods], object]] = [
    lambda pods: pods.upsert(pod("kept", app="b", version="2")),
    lambda pods: pods.upsert(pod("kept", version="2")),
    lambda pods: pods.upsert(pod("new", app="a")),
    lambda pods: pods.remove("default/gone"),
    lambda pods: pods.replace([pod("kept", app="b"), pod("new", app="b")], "2"),
    lambda pods: pods.replace([pod("kept", app="a")], "2"),
]


@pytest.mark.parametrize("write", WRITES)
def test_readers_see_a_consistent_state_during_a_write(write: Callable[[Pods], object]):
    pods = Pods({"app": app_of})
    pods.replace([pod("kept", app="a"), pod("gone", app="a")], "1")

    def look() -> None:
        for app in ("a", "b"):
            for each in pods.by_index("app", app):
                assert app_of(each) == [app]
                assert meta_namespace_key(each) in pods
        assert "default/kept" in pods
        assert "default/kept" in names(pods.by_index("namespace", "default"))
        assert "default/kept" in pods.index_keys("namespace", "default")

    assert at_every_step(lambda: write(pods), look) > 50


def test_unchanged_index_values_stay_visible_during_an_update():
    pods = Pods({"parts": lambda each: each.metadata.annotations["parts"].split()})
    old, new = pod("a"), pod("a", version="2")
    old.metadata.annotations, new.metadata.annotations = {"parts": "x y"}, {"parts": "z y"}
    pods.upsert(old)

    def look() -> None:
        assert pods.index_keys("parts", "y") == ["default/a"]
        assert pods.index_keys("parts", "x") or pods.index_keys("parts", "z")

    assert at_every_step(lambda: pods.upsert(new), look) > 50
    assert sorted(pods.index_values("parts")) == ["y", "z"]


def test_a_version_is_never_newer_than_what_is_read_after_it():
    pods = Pods()
    pods.upsert(pod("a", version="1"), "1")

    def look() -> None:
        version = int(pods.resource_version)
        [pod] = pods.list()
        assert int(pod.metadata.resource_version) >= version

    assert at_every_step(lambda: pods.upsert(pod("a", version="2"), "2"), look) > 50
    assert at_every_step(lambda: pods.replace([pod("a", version="3")], "3"), look) > 50
    assert pods.resource_version == "3"


def test_a_write_during_add_index_waits_and_is_indexed():
    pods = Pods()
    pods.upsert(pod("a"))
    writer = threading.Thread(target=lambda: pods.upsert(pod("b")))

    def slow(each: Pod) -> list[str]:
        if writer.ident is None:
            writer.start()
            writer.join(0.1)  # what it would need, if it did not have to wait
        return ["x"]

    pods.add_index("slow", slow)
    writer.join()
    assert names(pods.by_index("slow", "x")) == ["default/a", "default/b"]


@pytest.mark.usefixtures("busy_threads")
def test_indices_may_be_added_while_somebody_writes():
    pods = Pods()

    def write() -> None:
        for version in range(3000):
            pods.upsert(pod(f"{version % 50}", app="web", version=str(version)))
            if version % 500 == 0:
                pods.replace(pods.list(), str(version))

    added: list[str] = []

    def add() -> None:
        if len(added) < 50:
            name = f"index-{len(added)}"
            pods.add_index(name, app_of)
            added.append(name)

    while_writing(write, add)
    assert added
    for name in added:
        assert {id(each) for each in pods.by_index(name, "web")} == {id(x) for x in pods.list()}


# Against a model: a dict, searched from end to end.

NAMES = st.sampled_from(["a", "b", "c", "d"])
NAMESPACES = st.sampled_from(["", "one", "two"])
TAGS = st.lists(st.sampled_from(["x", "y", "z", "fail"]), max_size=3)


def tags_of(each: Pod) -> list[str]:
    tags = [tag for tag in each.metadata.annotations.get("tags", "").split(",") if tag]
    if "fail" in tags:
        raise ValueError("told to fail")
    return tags


def namespace_of(each: Pod) -> Iterable[str]:
    return [each.metadata.namespace]


def names_of(each: Pod) -> Iterable[str]:
    yield each.metadata.name


INDICES: dict[str, Callable[[Pod], Iterable[str]]] = {"tags": tags_of, "name": names_of}


def tagged(name: str, namespace: str, tags: list[str]) -> Pod:
    made = pod(name, namespace)
    made.metadata.annotations = {"tags": ",".join(tags)}
    return made


OBJECTS = st.builds(tagged, NAMES, NAMESPACES, TAGS)


class IndexerMachine(RuleBasedStateMachine):
    @initialize(early=st.sets(st.sampled_from(sorted(INDICES))))
    def start(self, early: set[str]) -> None:
        self.failures: list[IndexFailure] = []
        chosen = {name: INDICES[name] for name in sorted(early)}
        self.indexer = Pods(chosen, on_index_failure=self.failures.extend)
        self.indices = {"namespace": namespace_of, **chosen}
        self.model: dict[str, Pod] = {}
        self.version = 0

    def next_version(self) -> str:
        self.version += 1
        return str(self.version)

    @rule(obj=OBJECTS)
    def upsert(self, obj: Pod) -> None:
        old = self.indexer.upsert(obj, self.next_version())
        assert old is self.model.get(meta_namespace_key(obj))
        self.model[meta_namespace_key(obj)] = obj

    @rule(name=NAMES, namespace=NAMESPACES)
    def remove(self, name: str, namespace: str) -> None:
        key = f"{namespace}/{name}" if namespace else name
        assert self.indexer.remove(key, self.next_version()) is self.model.pop(key, None)

    @rule(objects=st.lists(OBJECTS, max_size=6))
    def replace(self, objects: list[Pod]) -> None:
        before = self.indexer.replace(objects, self.next_version())
        assert dict(before) == self.model
        self.model = {meta_namespace_key(obj): obj for obj in objects}

    @rule(name=st.sampled_from(sorted(INDICES)))
    def add_index(self, name: str) -> None:
        if name in self.indices:
            with pytest.raises(ValueError, match=name):
                self.indexer.add_index(name, INDICES[name])
        else:
            self.indexer.add_index(name, INDICES[name])
            self.indices[name] = INDICES[name]

    def indexed(self, name: str) -> dict[str, set[str]]:
        index: dict[str, set[str]] = {}
        for key, obj in self.model.items():
            try:
                values = [*self.indices[name](obj)]
            except ValueError:
                continue
            for value in filter(None, values):
                index.setdefault(value, set()).add(key)
        return index

    @invariant()
    def the_store_is_the_model(self) -> None:
        assert {id(each) for each in self.indexer.list()} == {id(x) for x in self.model.values()}
        assert len(self.indexer.list()) == len(self.indexer) == len(self.model)
        assert sorted(self.indexer.keys()) == sorted(self.model)
        assert self.indexer.resource_version == (str(self.version) if self.version else "")
        for key, obj in self.model.items():
            assert self.indexer.get(key) is obj

    @invariant()
    def the_indices_find_what_a_search_finds(self) -> None:
        assert self.indexer.index_names() == [*self.indices]
        for name in self.indices:
            expected = self.indexed(name)
            assert sorted(self.indexer.index_values(name)) == sorted(expected)
            for value, keys in expected.items():
                assert sorted(self.indexer.index_keys(name, value)) == sorted(keys)
                matching = self.indexer.by_index(name, value)
                assert sorted(map(id, matching)) == sorted(id(self.model[key]) for key in keys)

    @invariant()
    def only_what_fails_has_failed(self) -> None:
        assert all(each.index == "tags" for each in self.failures)
        if "tags" in self.indices:
            failing = {k for k, each in self.model.items() if "fail" in str(each.metadata)}
            assert failing <= {each.key for each in self.failures}


TestIndexerAgainstADict = IndexerMachine.TestCase
TestIndexerAgainstADict.settings = try_examples(60, stateful_step_count=25)
