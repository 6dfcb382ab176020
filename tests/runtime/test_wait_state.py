"""What a wait knows: the rules, against an oracle."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some
from kubeapi.core.v1 import Pod, PodStatus
from kubeapi.meta.v1 import ObjectMeta

from clientgen.runtime._conditions.wait_state import WaitState, wait_target
from clientgen.runtime._models.model_codec import WatchEvent
from clientgen.runtime.conditions import deleted, exists, phase
from clientgen.runtime.errors import WaitFailed, WaitTimeout

RUNNING = phase("Running")


def pod(name: str, uid: str, state: str) -> Pod:
    metadata = ObjectMeta(name=name, namespace="shop", uid=f"{name}-{uid}")
    return Pod(metadata=metadata, status=PodStatus(phase=state))


def state(until: Any, fail: Any = None, **more: Any) -> WaitState[Pod]:
    return WaitState(wait_target("Pod", "shop/a", until, fail, **more))


Objects = some.dictionaries(
    some.sampled_from("abc"),
    some.tuples(some.sampled_from("12"), some.sampled_from(["Pending", "Running"])),
)


@given(Objects, some.lists(Objects, max_size=8), some.booleans())
def test_all_present_objects_are_as_wanted_at_one_moment(first: Any, later: Any, lists: bool):
    """Whether changes come as events or as lists makes no difference but for moments between."""
    wait = state(RUNNING, is_one=False)
    present: dict[str, Any] = {}
    for number, objects in enumerate([first, *later]):
        if lists or not number:
            wait.replace([pod(name, *each) for name, each in objects.items()])
            present = dict(objects)
            expected = bool(present) and all(each[1] == "Running" for each in present.values())
        else:
            expected = _apply(wait, present, objects)
        assert wait.done is expected
        if wait.done:
            assert {each.metadata.name for each in wait.objects} <= set("abc")
            return
        _, why = wait.last
        assert why


def _apply(wait: WaitState[Pod], present: dict[str, Any], objects: dict[str, Any]) -> bool:
    for name in "abc":
        if name in present and name not in objects:
            event = WatchEvent("DELETED", pod(name, *present.pop(name)))
        elif name in objects and objects[name] != present.get(name):
            kind = "MODIFIED" if name in present else "ADDED"
            present[name] = objects[name]
            event = WatchEvent(kind, pod(name, *objects[name]))
        else:
            continue
        wait.apply([event])
        if present and all(each[1] == "Running" for each in present.values()):
            return True
    return False


@given(Objects, some.lists(Objects, max_size=8), some.booleans())
def test_those_that_exist_at_first_are_gone(first: Any, later: Any, lists: bool):
    wait = state(deleted, is_one=False)
    present = dict(first)
    wait.replace([pod(name, *each) for name, each in first.items()])
    left = {(name, uid) for name, (uid, _) in first.items()}
    assert wait.done is (not left)
    for objects in later:
        if wait.done:
            break
        if lists:
            wait.replace([pod(name, *each) for name, each in objects.items()])
        else:
            for name in "abc":
                old, new = present.get(name), objects.get(name)
                if old and (not new or old[0] != new[0]):
                    wait.apply([WatchEvent("DELETED", pod(name, *old))])
                if new:
                    wait.apply([WatchEvent("MODIFIED", pod(name, *new))])
        present = dict(objects)
        left &= {(name, uid) for name, (uid, _) in objects.items()}
        assert wait.done is (not left)
    assert [each.metadata.name for each in wait.objects] == [*first]
    assert all(each.metadata.uid[-1] == first[each.metadata.name][0] for each in wait.objects)


def test_only_the_object_with_the_uid_counts():
    other = state(deleted, uid="a-1")
    other.replace([pod("a", "2", "Running")])
    assert other.done
    same = state(deleted, uid="a-2")
    same.replace([pod("a", "2", "Running")])
    assert not same.done


def test_what_is_as_good_as_gone_may_come_back():
    wait = state(deleted | phase("Succeeded"), is_one=False)
    wait.replace([pod("a", "1", "Running"), pod("b", "1", "Running")])
    wait.apply([WatchEvent("MODIFIED", pod("a", "1", "Succeeded"))])
    wait.apply([WatchEvent("MODIFIED", pod("a", "1", "Running"))])
    wait.apply([WatchEvent("DELETED", pod("b", "1", "Running"))])
    assert not wait.done
    wait.apply([WatchEvent("MODIFIED", pod("a", "1", "Succeeded"))])
    assert wait.done


def test_nothing_changes_after_the_end():
    wait = state(RUNNING)
    wait.replace([pod("a", "1", "Running")])
    wait.apply([WatchEvent("MODIFIED", pod("a", "1", "Failed"))])
    assert wait.done
    assert wait.failure is None
    assert wait.objects[0].status.phase == "Running"


def test_success_counts_more_than_failure():
    wait = state(RUNNING, exists)
    wait.replace([pod("a", "1", "Running")])
    assert wait.done
    assert wait.failure is None


@pytest.mark.parametrize("kind", [WaitFailed, WaitTimeout])
def test_errors_keep_their_object_when_pickled(kind: Any):
    copied = pickle.loads(pickle.dumps(kind("why", pod("a", "1", "Failed"))))
    assert str(copied) == "why"
    assert copied.object.status.phase == "Failed"


def test_other_objects_than_the_one_by_its_name_are_ignored():
    """A server or a proxy may ignore field selectors."""
    wait = state(RUNNING)
    wait.replace([pod("b", "1", "Running")])
    wait.apply([WatchEvent("ADDED", pod("c", "1", "Running"))])
    assert not wait.is_over
    wait.apply([WatchEvent("ADDED", pod("a", "1", "Running"))])
    assert [each.metadata.name for each in wait.objects] == ["a"]
