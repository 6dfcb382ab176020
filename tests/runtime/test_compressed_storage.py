"""How compressed caches read, compress and share objects, without an informer."""

from __future__ import annotations

import json
import random
import sys
import threading
from contextlib import suppress
from typing import Any

import pytest
from kubeapi.core.v1 import ConfigMap, ConfigMapList
from support.compressed import flip
from support.informers import config, value_of

from clientgen.runtime import errors
from clientgen.runtime._cache import recent_objects, storage_forms
from clientgen.runtime._cache.compressed import CompressedStorage
from clientgen.runtime._cache.compression import Dictionary, Packed, Packer
from clientgen.runtime._cache.storage import Storage, storage_for
from clientgen.runtime._http.json_codec import JSON
from clientgen.runtime._http.request import LIST, HttpResponse, build
from clientgen.runtime.models import Unstructured, UnstructuredList, encode

MANY = 60  # more than the samples of a dictionary


def storage(model: Any = ConfigMap, list_model: Any = ConfigMapList) -> CompressedStorage[Any]:
    return CompressedStorage(storage_for(model, list_model))


# ---- what servers send -------------------------------------------------------------------------

LISTS = [
    b'{"kind":"ConfigMapList","metadata":{"resourceVersion":"7"},"items":%b}' % items
    for items in (
        b"[]",
        b"null",
        b"[null]",
        b"[5]",
        b"{}",
        b'[{"metadata":{"name":"a","resourceVersion":"1","labels":null}}]',
        b'[{"metadata":{"name":"a","labels":{"app":null}}},{"metadata":{"name":"b"}}]',
        b'[{"metadata":{"name":"a","labels":["app"]}}]',
        b'[{"metadata":{"name":7}}]',
        b'[{"metadata":null}]',
        b'[{"data":{"a":"b"}}]',
        b'[{"metadata":{"name":"a"},"immutable":"yes","fromTheFuture":{"weight":7},"kind":""}]',
        b'[{"metadata":{"name":"\xff"}}]',
        b'[{"metadata":{"name":"a"},"data":{"a":"\xff"}}]',
        rb'[{"metadata":{"name":"a"},"data":{"a":"\ud800"}}]',
        b' [ \n{ "kind":"ConfigMap", "metadata" : {"name":"a"} } ] ',
        b'[{"metadata":{"name":"a"}}',
        b"[" * 2000,
    )
]
LISTS += [
    b"",
    b"[]",
    b'{"kind":"Status","status":"Failure","code":410,"reason":"Expired"}',
    b'{"kind":"ConfigMap","metadata":{"name":"a"}}',
    b'{"items":[{"metadata":{"name":"a"}}]}',
    b'{"kind":"List","apiVersion":"v1","metadata":{},"items":[{"metadata":{"name":"a"}}]}',
]


def what_is_read(form: Storage[Any], data: bytes) -> Any:
    """The objects of a list, and those of the events of a watch; or the error."""
    request, outcome = build("GET", "/api/v1/configmaps", {}, LIST), list[Any]()
    try:
        page = form.read_page(HttpResponse(200, {}, data), request, JSON)
        entries = [form.prepare(item, None) for item in page.items]
        outcome = [page.metadata.resource_version, *(encode(form.decode(each)) for each in entries)]
    except errors.ClientError as error:
        outcome = [type(error), str(error)]
    return outcome


@pytest.mark.parametrize("data", LISTS, ids=range(len(LISTS)))
@pytest.mark.parametrize("model", [ConfigMap, Unstructured])
def test_odd_lists_read_as_in_a_cache_of_whole_objects(data, model):
    list_model = ConfigMapList if model is ConfigMap else UnstructuredList
    full = storage_for(model, list_model)
    assert what_is_read(CompressedStorage(full), data) == what_is_read(full, data)


@pytest.mark.parametrize(
    "line",
    [
        b'{"type":"ADDED","object":{"metadata":{"name":"a","resourceVersion":"1"}}}',
        b'{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9"}}}',
        b'{"type":"ERROR","object":{"kind":"Status","code":410}}',
        b'{"type":"NEW","object":{"metadata":{"name":"a"}}}',
        b'{"type":"ADDED","object":null}',
        b'{"type":"ADDED"}',
        b"{}",
        b'{"type":"ADDED","object":{"metadata":{"name":"\xff"}}}',
    ],
)
def test_odd_events_read_as_in_a_cache_of_whole_objects(line):
    def read(form: Storage[Any]) -> Any:
        try:
            events = form.read_events(line + b"\n", JSON)
        except errors.DecodeError as error:
            return str(error)
        return [(each.type, each.object.metadata.resource_version) for each in events]

    assert read(storage()) == read(storage_for(ConfigMap, ConfigMapList))


# ---- damage ------------------------------------------------------------------------------------


def test_every_flipped_bit_is_noticed():
    packer, obj = Packer(), encode(config("a", "1" * 50, app="web"))
    packed = [packer.pack(obj.replace(b"1", b"%d" % (number % 10))) for number in range(MANY)]
    for each in (packed[0], packed[-1]):
        assert each.unpack()
        for bit in range(len(each.frame) * 8):
            with suppress(ValueError):
                assert flip(each, bit).unpack() == each.unpack()  # a bit that means nothing
        with pytest.raises(ValueError, match="zstd"):
            Packed(each.frame[:-1], each.size, each.dictionary).unpack()
        with pytest.raises(ValueError, match="another length"):
            Packed(each.frame, each.size - 1, each.dictionary).unpack()  # it may fill no memory


def test_an_object_that_cannot_be_decoded_is_an_error_of_its_own():
    form = storage()
    entry = form.encode(config("a"))
    entry.packed = form._packer.pack(b"[]")
    with pytest.raises(errors.DecodeError):
        form.decode(entry)


# ---- what readers share ------------------------------------------------------------------------


def test_few_objects_are_kept_decoded(monkeypatch):
    monkeypatch.setattr(recent_objects, "MAX_BYTES", 100)
    recent: recent_objects.RecentObjects[str, ConfigMap] = recent_objects.RecentObjects()
    a, b, c = (config(name) for name in "abc")
    assert recent.add("a", a, 40) is a
    assert recent.add("b", b, 40) is b
    assert recent.add("a", config("a"), 40) is a  # another reader was first
    assert recent.get("a") is a  # so "b" was not used for longest
    assert recent.add("c", c, 40) is c
    assert (recent.get("a"), recent.get("b"), recent.get("c")) == (a, None, c)
    assert recent.add("b", b, 101) is b
    assert len(recent) == 0


def test_threads_read_while_others_write(monkeypatch):
    monkeypatch.setattr(recent_objects, "MAX_OBJECTS", 3)
    form, failures = storage(), list[BaseException]()
    entries = {number: form.encode(config(f"a-{number}", "0")) for number in range(20)}

    def write() -> None:
        for turn in range(1, 60):
            for number in entries:
                entries[number] = form.encode(config(f"a-{number}", str(turn)))

    def read() -> None:
        try:
            while writer.is_alive():
                for number, entry in [*entries.items()]:
                    obj = form.decode(entry)
                    assert (obj.metadata.name, int(value_of(obj)) < 60) == (f"a-{number}", True)
        except BaseException as error:
            failures.append(error)

    writer = threading.Thread(target=write)
    readers = [threading.Thread(target=read) for _ in range(3)]
    for thread in (writer, *readers):
        thread.start()
    for thread in (writer, *readers):
        thread.join()
    assert failures == []
    assert {value_of(form.decode(entry)) for entry in entries.values()} == {"59"}


# ---- dictionaries ------------------------------------------------------------------------------


def texts(word: str, count: int) -> list[bytes]:
    """JSON of objects that have much in common: eight long texts that depend on the word."""
    common = [f"{word}-{number * 7919 % 1009:04}" * 3 for number in range(40)]
    return [
        json.dumps({"name": f"{word}-{n}", "lines": common[n % 8 :], "n": n * n}).encode()
        for n in range(count)
    ]


def ratio(packed: list[Packed]) -> float:
    return sum(len(each.frame) for each in packed) / sum(each.size for each in packed)


def test_a_dictionary_is_replaced_when_objects_become_different():
    packer = Packer()
    alone = [packer.pack(each) for each in texts("alpha", 32)]
    first = [packer.pack(each) for each in texts("alpha", 1200)]
    assert alone[0].dictionary is None
    assert ratio(first) < ratio(alone) / 3
    changed = [packer.pack(each) for each in texts("omega", 1600)]
    assert ratio(changed[-400:]) < ratio(changed[:100]) / 2
    assert changed[-1].dictionary is not first[-1].dictionary
    steady = [packer.pack(each) for each in texts("omega", 4000)]
    assert len({id(each.dictionary) for each in steady[-2000:]}) == 1  # nothing was better
    assert [each.unpack() for each in first] == texts("alpha", 1200)  # with their own dictionary
    assert [each.unpack() for each in changed] == texts("omega", 1600)


def test_random_text_gets_no_dictionary():
    packer = Packer()
    dice = random.Random(7)
    for _ in range(700):
        packer.pack(dice.randbytes(400))
    packed = packer.pack(b"{}")
    assert packed.dictionary is None
    assert packed.unpack() == b"{}"


def test_a_dictionary_notices_that_it_was_changed():
    packer = Packer()
    for each in texts("alpha", 40):
        packer.pack(each)
    dictionary = packer.pack(b"{}").dictionary
    assert isinstance(dictionary, Dictionary)
    packer.repair(dictionary)  # nothing is wrong
    assert packer.pack(b"{}").dictionary is dictionary
    packer.repair(None)
    dictionary._content = None
    packer.repair(dictionary)
    assert not dictionary.is_sound
    assert packer.pack(b"{}").dictionary is None


# ---- without zstd ------------------------------------------------------------------------------


def test_without_zstd_an_error_names_the_extra(monkeypatch):
    for name in ("compressed", "compression"):
        monkeypatch.delitem(sys.modules, f"clientgen.runtime._cache.{name}")
    module = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=r"needs zstd: install clientgen\[zstd\], or use"):
        storage_forms.check_form("compressed")
