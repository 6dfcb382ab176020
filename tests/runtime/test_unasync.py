"""Deriving the synchronous flavour."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from clientgen.generator import unasync
from clientgen.generator.unasync import main, to_sync, unused_rules


@pytest.mark.parametrize(
    ("source", "derived"),
    [
        ("async def f() -> None: ...", "def f() -> None: ..."),
        ("x = await y", "x = y"),
        ("x = [a async for a in b]", "x = [a for a in b]"),
        ("async with AsyncRest(x) as r: pass", "with Rest(x) as r: pass"),
        (
            "def __aiter__(self): raise StopAsyncIteration",
            "def __iter__(self): raise StopIteration",
        ),
        ("async def __anext__(self): ...", "def __next__(self): ..."),
        ("await x.aclose()", "x.close()"),
        ("from .async_clients import A", "from .clients import A"),
        ("from clientgen.runtime.aio import AsyncRest", "from clientgen.runtime.sync import Rest"),
        ("import clientgen.runtime._async.rest", "import clientgen.runtime._sync.rest"),
        ("asynchronous = Async = async_ = 1", "asynchronous = Async = async_ = 1"),
        ("class AsynchronousThing: ...", "class AsynchronousThing: ..."),
    ],
)
def test_words_are_exchanged(source, derived):
    assert to_sync(source + "\n") == derived + "\n"


@pytest.mark.parametrize(
    ("source", "derived"),
    [
        ('"""Use `async with AsyncRest()`."""', '"""Use `with Rest()`."""'),
        ('"""await pods.get(x)"""', '"""pods.get(x)"""'),
        (
            '"""Jobs await their turn; async in style."""',
            '"""Jobs await their turn; async in style."""',
        ),
        ('x = "AsyncRest"  # AsyncRest', 'x = "Rest"  # Rest'),
        ('x = f"{await a.b():>{w}} AsyncRest {{}} {x!r}"', 'x = f"{a.b():>{w}} Rest {{}} {x!r}"'),
        ('x = rb"\\x00 aclose"', 'x = rb"\\x00 close"'),
        ('x = "é" + AsyncRest  # ü', 'x = "é" + Rest  # ü'),
    ],
)
def test_words_in_strings_and_comments_too(source, derived):
    assert to_sync(source + "\n") == derived + "\n"


def test_imported_and_exported_names_stay_sorted_and_single():
    source = """\
from collections.abc import AsyncIterator, Callable, Iterator
from x import (
    AsyncZ,
    B,
)
from y import B, A
__all__ = ["AsyncZ", "B", "CONST", "f"]
"""
    assert (
        to_sync(source)
        == """\
from collections.abc import Callable, Iterator
from x import (
    B,
    Z,
)
from y import B, A
__all__ = ["CONST", "B", "Z", "f"]
"""
    )


def test_layout_and_comments_stay():
    source = "def f(\n    a,  # one\n\n    b,\n):\n\treturn  a  # two\n"
    assert to_sync(source) == source


@pytest.mark.slow
def test_reading_words_gives_what_reading_tokens_gives(monkeypatch: pytest.MonkeyPatch):
    root = Path(unasync.__file__).parents[2]
    paths = [*root.glob("generated/kubeapi/**/*.py"), *root.glob("clientgen/runtime/**/*.py")]
    sources = [path.read_text("utf-8") for path in paths]
    plain = [source for source in sources if unasync._is_plain(source)]
    assert len(sources) > len(plain) > 300
    by_words = list(map(to_sync, plain))

    monkeypatch.setattr(unasync, "_is_plain", lambda _source: False)
    assert list(map(to_sync, plain)) == by_words


def test_derived_modules_compile():
    runtime = unasync._RUNTIME
    for name in unasync.DERIVED:
        text = (runtime / "_async" / name).read_text("utf-8")
        assert not [
            node
            for node in ast.walk(ast.parse(to_sync(text)))
            if isinstance(node, ast.AsyncFunctionDef | ast.AsyncFor | ast.AsyncWith | ast.Await)
        ]


@pytest.mark.slow
def test_the_committed_runtime_is_what_its_sources_give(capsys):
    assert main(["--check"]) == 0, capsys.readouterr().err


def test_the_twins_by_hand_offer_the_same_names():
    from clientgen.runtime._async import _primitives as ours
    from clientgen.runtime._async import transport as our_transport
    from clientgen.runtime._sync import _primitives as theirs
    from clientgen.runtime._sync import transport as their_transport

    assert ours.__all__ == theirs.__all__
    assert [to_sync(name) for name in our_transport.__all__] == their_transport.__all__
    for name in ("Event", "Lock"):
        public = {word for word in vars(getattr(ours, name)) if not word.startswith("_")}
        assert public == {w for w in vars(getattr(theirs, name)) if not w.startswith("_")}


def test_a_rule_that_nothing_needs_is_noticed():
    assert "aclose" in unused_rules(["AsyncRest"])
    assert unused_rules([" ".join(_examples())]) == []


def _examples() -> list[str]:
    return [rule.replace(r"([A-Z]\w*)", "X").replace(r"(\w+)", "x") for rule, _ in unasync.RULES]


def test_a_forgotten_source_is_noticed(tmp_path: Path, monkeypatch, capsys):
    for folder in ("_async", "_sync"):
        (tmp_path / folder).mkdir()
    (tmp_path / "_async" / "new.py").write_text("x = 1\n")
    (tmp_path / "aio.py").write_text("x = 1\n")
    monkeypatch.setattr(unasync, "_RUNTIME", tmp_path)
    monkeypatch.setattr(unasync, "DERIVED", ())
    assert main([]) == 1
    assert "_async/new.py is not listed in DERIVED" in capsys.readouterr().err
    (tmp_path / "sync.py").write_text("other\n")
    assert main(["--check"]) == 1
    assert "sync.py differs from what its source gives" in capsys.readouterr().err
