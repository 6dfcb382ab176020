"""Informers in threads whose shard changes: test_shard_attack.py, derived.

One test is for threads only: with asyncio, nothing comes between an event and the cache.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from kubeapi.core.v1 import ConfigMap
from support.flavours import derived_tests

derived = derived_tests(Path(__file__).with_name("test_shard_attack.py"))
globals().update(derived)
pytestmark = pytest.mark.usefixtures("no_task_is_left")


def test_an_event_that_is_on_its_way_while_the_shard_shrinks_is_not_lost() -> None:
    arrived, goes_on = threading.Event(), threading.Event()

    def transform(obj: ConfigMap) -> ConfigMap:
        if obj.data:
            arrived.set()
            goes_on.wait(60)
        return obj

    attack: Any = derived["Attack"](1, ConfigMap, transform=transform)
    maps = attack.other.core_v1.config_maps("shop")
    made = [maps.create({"metadata": {"name": name}}) for name in derived["NAMES"]]
    attack.live.replace(["shop"])
    attack.read(derived["WHOLE"])
    attack.informer.start()
    attack.check()
    low = next(each for each in made if derived["LOW"].has(each.metadata))
    maps.patch(low.metadata.name, {"data": {"a": "b"}})
    assert arrived.wait(60)
    attack.read(derived["LOW"])
    goes_on.set()
    attack.check()
    assert attack.informer.indexer.get(f"shop/{low.metadata.name}").data == {"a": "b"}
    attack.informer.stop()
