"""When own writes leave the store of an informer; `test_own_writes_model` tests the rest."""

from __future__ import annotations

from typing import Any

import pytest

from clientgen.runtime._cache.deltas import Added, Deleted, Updated
from clientgen.runtime._cache.indexer import Indexer
from clientgen.runtime._cache.own_writes import OwnWrites, SentWrite, version_number
from clientgen.runtime._cache.write_requests import target_of
from clientgen.runtime._http.request import HttpRequest
from clientgen.runtime.models import Unstructured


def made(name: str, version: int | str, uid: str = "") -> Unstructured:
    metadata = {"name": name, "uid": uid or name, "resourceVersion": str(version)}
    return Unstructured({"metadata": metadata})


class Store:
    def __init__(self, *, selective: bool = False) -> None:
        self.writes: OwnWrites[Any] = OwnWrites(Indexer(), selective=selective)
        self.writes.replace(None, [made("a", 5)], "10")

    def sent(self, name: str) -> SentWrite:
        sent = self.writes.begin_write("", name)
        assert sent is not None
        return sent

    def write(self, name: str, version: int | str, now: float = 0.0, **options: Any) -> None:
        sent = self.writes.begin_write("", name)
        assert sent is not None
        self.writes.show_written(sent, made(name, version), now, **options)
        self.writes.end_write(sent)

    def delete(self, name: str, now: float = 0.0, uid: str = "") -> None:
        sent = self.writes.begin_write("", name)
        assert sent is not None
        self.writes.hide_deleted(sent, name, "", uid or name, now)
        self.writes.end_write(sent)

    @property
    def versions(self) -> dict[str, str]:
        objects = self.writes.indexer.list()
        return {obj.metadata.name: obj.metadata.resource_version for obj in objects}


def test_what_others_rewrote_a_thousand_times_is_still_waited_for():
    store = Store()
    store.write("b", 11, selected=False)  # no event will tell of it
    for version in range(12, 1000):
        store.write("a", version)
    assert len(store.writes) == 2
    store.writes.note_progress(None, "11", 0.0)
    assert len(store.writes) == 1
    store.writes.note_progress(None, "2000", 0.0)
    assert len(store.writes) == 0


def test_a_deletion_that_never_comes_is_forgotten_after_ten_minutes():
    store = Store(selective=True)
    store.delete("a")
    assert store.versions == {}
    assert store.writes.needs_latest(None)
    store.writes.note_progress(None, "20", 599.0)
    assert store.versions == {}
    store.writes.note_progress(None, "30", 601.0)
    assert store.versions == {"a": "5"}
    [told] = store.writes.take_revealed()
    assert isinstance(told, Updated)
    assert told.new.metadata.name == "a"


def test_what_was_deleted_before_the_last_deletion_is_not_shown_again():
    """Others made `b` three times; the program deleted the first two before the watch told."""
    store = Store(selective=True)
    store.delete("b", uid="first")
    store.delete("b", uid="second")
    for uid, version in (("first", 11), ("second", 13)):
        store.writes.apply_event("ADDED", made("b", version, uid))
        assert store.versions == {"a": "5"}
        store.writes.apply_event("DELETED", made("b", version + 1, uid))
    store.writes.apply_event("ADDED", made("b", 15, "third"))
    assert store.versions == {"a": "5", "b": "15"}


def made_again() -> Store:
    """A store in which the program has deleted `a` and made it again; the watch told neither."""
    store = Store(selective=True)
    store.delete("a")
    sent = store.sent("a")
    store.writes.show_written(sent, made("a", 12, "second"), 0.0, is_create=True)
    store.writes.end_write(sent)
    assert store.versions == {"a": "12"}
    return store


def test_an_object_that_was_made_again_may_leave_the_shard_alone():
    store = made_again()
    assert store.writes.forget(lambda uid: uid == "a") == []
    assert store.versions == {}
    told = store.writes.apply_event("DELETED", made("a", 11))
    assert isinstance(told, Deleted)
    store.writes.note_progress(None, "12", 0.0)
    assert (store.versions, len(store.writes)) == ({}, 0)


def test_an_object_that_was_made_again_may_stay_alone_in_the_shard():
    store = made_again()
    [first] = store.writes.forget(lambda uid: uid == "second")
    assert first.metadata.uid == "a"
    assert store.versions == {"a": "12"}
    assert isinstance(store.writes.apply_event("ADDED", made("a", 12, "second")), Added)
    assert (store.versions, len(store.writes)) == ({"a": "12"}, 0)


@pytest.mark.parametrize("selective", [True, False])
def test_two_deletions_that_overlap_hide_both_objects(selective: bool):
    """The first one is answered after the second was sent, whose object came after the first's."""
    store = Store(selective=selective)
    first, second = store.writes.begin_write("", "a"), store.writes.begin_write("", "a")
    assert first is not None
    assert second is not None
    for sent, uid in ((first, "a"), (second, "later")):
        store.writes.hide_deleted(sent, "a", "", uid, 0.0)
        store.writes.end_write(sent)
    for event, version, uid in (("DELETED", 11, "a"), ("ADDED", 12, "later")):
        store.writes.apply_event(event, made("a", version, uid))
        assert store.versions == {}
    store.writes.apply_event("DELETED", made("a", 13, "later"))
    assert store.versions == {}
    store.writes.apply_event("ADDED", made("a", 14, "next"))
    assert store.versions == {"a": "14"}


@pytest.mark.parametrize("selective", [True, False])
def test_a_late_answer_to_an_update_does_not_show_what_was_deleted(selective: bool):
    store = Store(selective=selective)
    late = store.sent("a")
    store.writes.apply_event("MODIFIED", made("a", 11))  # the watch is faster than the answer
    store.writes.note_progress(None, "11", 0.0)
    store.delete("a")
    store.writes.show_written(late, made("a", 11), 0.0)
    store.writes.end_write(late)
    assert store.versions == {}
    store.writes.apply_event("DELETED", made("a", 12))
    assert store.versions == {}


def test_a_late_answer_does_not_show_what_was_deleted_before_the_last_deletion():
    """Others made `a` again between the two deletions."""
    store = Store()
    late = store.sent("a")
    store.delete("a")
    store.delete("a", uid="second")
    store.writes.show_written(late, made("a", 11), 0.0)
    assert store.versions == {}


def test_a_late_answer_does_not_show_what_was_seen_before_the_deletion_was_sent():
    """Others made `a` again after the update, and the deletion removed that one."""
    store = Store()
    late = store.sent("a")
    store.delete("a", uid="second")
    store.writes.show_written(late, made("a", 11), 0.0)
    assert store.versions == {}


@pytest.mark.parametrize("is_delivered", [True, False])
def test_a_late_answer_to_a_deletion_does_not_hide_the_next_object(is_delivered: bool):
    """The object that was deleted is not selected, so that the watch never tells of it."""
    store = Store(selective=True)
    late = store.sent("b")
    created = store.sent("")
    store.writes.show_written(created, made("b", 13, "next"), 0.0, is_create=True)
    store.writes.end_write(created)
    if is_delivered:
        store.writes.apply_event("ADDED", made("b", 13, "next"))
        store.writes.note_progress(None, "13", 0.0)
    store.writes.hide_deleted(late, "b", "", "earlier", 0.0)
    store.writes.end_write(late)
    assert store.versions == {"a": "5", "b": "13"}


def test_a_version_in_the_answer_to_a_deletion_tells_which_object_is_the_next():
    store = Store(selective=True)
    late = store.sent("b")
    store.writes.apply_event("ADDED", made("b", 13, "next"))  # others made it
    store.writes.hide_deleted(late, "b", "", "earlier", 0.0, version=12)
    assert store.versions == {"a": "5", "b": "13"}
    other = store.sent("b")
    store.writes.apply_event("MODIFIED", made("b", 15, "next"))
    store.writes.hide_deleted(other, "b", "", "next", 0.0, version=14)
    assert store.versions == {"a": "5"}


def test_an_object_that_came_after_the_one_that_was_known_is_the_one_that_is_gone():
    """The update is of the known object; the deletion, which overlaps it, is of the next one."""
    store = Store()
    updating, deleting = store.sent("a"), store.sent("a")
    store.writes.show_written(updating, made("a", 11), 0.0)
    store.writes.hide_deleted(deleting, "a", "", "next", 0.0)
    assert store.versions == {}


def test_an_object_that_is_selected_again_is_hidden_by_its_deletion():
    store = Store(selective=True)
    late = store.sent("a")
    store.writes.apply_event("DELETED", made("a", 11))
    store.writes.apply_event("ADDED", made("a", 12))
    store.writes.hide_deleted(late, "a", "", "a", 0.0)
    assert store.versions == {}


def test_an_update_that_is_answered_after_a_newer_change_of_a_part_is_seen():
    def scale(obj: Unstructured) -> Unstructured:
        return Unstructured({**obj, "replicas": 7})

    store = Store()
    late = store.sent("a")
    store.writes.show_written_part("a", "a", "12", scale, 0.0)
    store.writes.show_written(late, Unstructured({**made("a", 11), "image": "new"}), 0.0)
    shown = store.writes.indexer.get("a")
    assert (shown["image"], shown["replicas"]) == ("new", 7)
    store.writes.note_progress(None, "11", 0.0)
    assert len(store.writes) == 1
    store.writes.note_progress(None, "12", 0.0)
    assert len(store.writes) == 0


def test_parts_that_are_answered_in_another_order_are_all_seen():
    def put(name: str, value: int) -> Any:
        return lambda obj: Unstructured({**obj, name: value})

    store = Store()
    store.writes.show_written_part("a", "a", "12", put("replicas", 7), 0.0)
    store.writes.show_written_part("a", "a", "11", put("label", 1), 0.0)
    store.writes.show_written_part("a", "a", "11", put("replicas", 3), 0.0)
    shown = store.writes.indexer.get("a")
    assert (shown["label"], shown["replicas"]) == (1, 7)
    store.writes.apply_event("MODIFIED", Unstructured({**made("a", 11), "label": 2}))
    assert store.writes.indexer.get("a")["label"] == 2


def test_what_is_older_than_a_write_before_the_deletion_is_not_shown():
    store = Store(selective=True)
    store.write("c", 20)
    store.delete("b", uid="last")
    store.writes.apply_event("ADDED", made("b", 15, "another"))
    assert "b" not in store.versions
    store.writes.apply_event("DELETED", made("b", 16, "another"))
    store.writes.apply_event("ADDED", made("b", 18, "one more"))
    store.writes.note_progress(None, "19", 11.0)
    assert "b" not in store.versions
    store.writes.apply_event("DELETED", made("b", 21, "one more"))
    store.writes.apply_event("ADDED", made("b", 25, "next"))
    store.writes.note_progress(None, "25", 13.0)
    assert store.versions["b"] == "25"


def test_an_object_of_which_a_deletion_came_is_forgotten_after_a_minute():
    """To a watch with selectors, an object that is not selected any more is deleted, too."""
    store = Store(selective=True)
    store.delete("a")
    store.writes.apply_event("DELETED", made("a", 11, "a"))
    store.writes.note_progress(None, "12", 59.0)
    assert len(store.writes) == 1
    store.writes.note_progress(None, "13", 61.0)
    assert len(store.writes) == 0


def test_an_object_from_before_a_create_that_is_not_selected_is_not_shown():
    """Others made and deleted `b`; then the program made one that the selectors leave out."""
    store = Store(selective=True)
    store.write("b", 30, selected=False, is_create=True)
    store.writes.apply_event("ADDED", made("b", 25, "earlier"))
    assert "b" not in store.versions
    store.writes.apply_event("DELETED", made("b", 26, "earlier"))
    store.writes.note_progress(None, "30", 0.0)
    assert "b" not in store.versions
    assert len(store.writes) == 0


def test_the_next_create_tells_when_a_deletion_is_over():
    """Others make `b` twice and the program deletes the second one; then the watch tells."""
    store = Store(selective=True)
    store.write("c", 20)
    store.delete("b", uid="second")
    assert store.writes.needs_latest(None)
    store.writes.apply_event("ADDED", made("b", 25, "first"))
    assert "b" not in store.versions
    early = store.writes.begin_write("", "d")
    store.writes.end_write(early)
    store.write("d", 30, is_create=True)
    assert not store.writes.needs_latest(None)
    store.writes.note_progress(None, "29", 0.0)
    assert "b" not in store.versions
    store.writes.apply_event("DELETED", made("b", 26, "first"))
    store.writes.apply_event("ADDED", made("b", 27, "second"))
    assert "b" not in store.versions
    store.writes.apply_event("DELETED", made("b", 28, "second"))
    store.writes.apply_event("ADDED", made("b", 31, "third"))
    assert store.versions["b"] == "31"


def test_a_create_that_was_sent_before_a_deletion_was_answered_tells_nothing():
    store = Store(selective=True)
    sent = store.writes.begin_write("", "c")
    store.delete("b", uid="second")
    assert sent is not None
    store.writes.show_written(sent, made("c", 20), 0.0, is_create=True)
    store.writes.note_progress(None, "20", 0.0)
    store.writes.apply_event("ADDED", made("b", 25, "first"))
    assert "b" not in store.versions


def test_an_object_that_may_be_the_next_one_is_shown_after_ten_seconds():
    store = Store(selective=True)
    store.delete("b", uid="unknown")
    store.writes.apply_event("ADDED", made("b", 25, "another"))
    store.writes.note_progress(None, "25", 9.0)
    assert "b" not in store.versions
    store.writes.note_progress(None, "26", 11.0)
    assert store.versions["b"] == "25"


def test_a_write_that_the_watch_never_passes_is_forgotten_after_ten_minutes():
    store = Store()
    store.write("a", 1000)
    store.writes.note_progress(None, "20", 599.0)
    assert store.versions == {"a": "1000"}
    store.writes.note_progress(None, "21", 601.0)
    assert store.versions == {"a": "5"}


@pytest.mark.parametrize("version", ["abc", "", "007", "1.5", "9" * 40])
def test_versions_that_are_no_numbers(version):
    assert version_number(version) is None
    store = Store()
    store.write("a", version)
    assert store.versions == {"a": "5"}
    store.write("a", 12)
    store.writes.note_progress(None, version or "x", 0.0)
    assert store.versions == {"a": "5"}


def test_a_server_that_was_set_back_is_believed():
    store = Store()
    store.write("a", 7)  # the watch was at 10 before that was sent
    assert store.versions == {"a": "7"}
    store.writes.note_progress(None, "11", 0.0)
    assert store.versions == {"a": "7"}
    store.writes.begin_read(None, latest=True)
    store.writes.replace(None, [made("a", 8)], "8")
    assert store.versions == {"a": "8"}
    assert len(store.writes) == 0


@pytest.mark.parametrize(
    ("method", "target", "body", "expected"),
    [
        ("POST", "/api/v1/namespaces/shop/pods", b"{}", ("", "pods", "shop", "", "")),
        ("PUT", "/apis/apps/v1/namespaces/s/deployments/web/scale", b"{}",
         ("apps", "deployments", "s", "web", "scale")),
        ("PATCH", "/api/v1/namespaces/shop", b"{}", ("", "namespaces", "", "shop", "")),
        ("PUT", "/api/v1/namespaces/shop/finalize", b"{}",
         ("", "namespaces", "", "shop", "finalize")),
        ("PATCH", "/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode?force=true", b"",
         ("rbac.authorization.k8s.io", "clusterroles", "", "system:node", "")),
        ("DELETE", "/api/v1/nodes/n1", None, ("", "nodes", "", "n1", "")),
        ("GET", "/api/v1/nodes/n1", None, None),
        ("POST", "/api/v1/namespaces/shop/pods?dryRun=All", b"{}", None),
        ("DELETE", "/api/v1/nodes/n1", b'{"dryRun":["All"]}', None),
        ("DELETE", "/api/v1/nodes/n1", b"k8s\x00", None),
        ("POST", "/version", b"{}", None),
        ("POST", "/api", b"{}", None),
        ("POST", "/api/v1", b"{}", None),
    ],
)  # fmt: skip
def test_what_a_request_writes(method, target, body, expected):
    found = target_of(HttpRequest(method, target, (), body))
    if expected is None:
        assert found is None
        return
    assert found is not None
    group, plural, namespace, name, subresource = expected
    assert (found.group, found.plural) == (group, plural)
    assert (found.namespace, found.name, found.subresource) == (namespace, name, subresource)


def test_a_removed_namespace_is_forgotten_with_what_was_written_there():
    writes: OwnWrites[Any] = OwnWrites(Indexer(), changing=True)
    assert writes.begin_write("red", "red/a") is None
    writes.add_namespace("red")
    writes.replace("red", [in_red("a", 5), in_red("b", 6)], "10")
    deleting, writing = writes.begin_write("red", "red/a"), writes.begin_write("red", "red/b")
    assert deleting
    assert writing
    own = writes.begin_write("red", "red/c")
    assert own
    writes.show_written(own, in_red("c", 11), 0.0, is_create=True)
    assert len(writes) == 1
    forgotten = writes.remove_namespace("red")
    assert [obj.metadata.name for obj in forgotten] == ["a", "b"]
    assert (len(writes), len(writes.indexer), writes.take_revealed()) == (0, 0, [])

    writes.add_namespace("red")
    writes.hide_deleted(deleting, "red/a", "red", "a", 0.0)
    writes.show_written(writing, in_red("b", 12), 0.0)
    assert len(writes) == 0
    told = writes.replace("red", [in_red("a", 13, "new")], "14")
    assert told == [Added(in_red("a", 13, "new"), is_initial=True)]
    assert [*writes.indexer.stored] == ["red/a"]


def in_red(name: str, version: int, uid: str = "") -> Unstructured:
    obj = made(name, version, uid)
    obj["metadata"]["namespace"] = "red"
    return obj
