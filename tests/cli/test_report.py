from __future__ import annotations

import threading

import pytest

from clientgen._gvk import GroupVersion
from clientgen.cli.report import Progress, count, summary_of_older, tell_changes
from clientgen.generator.ir import ModelId, OlderCopy
from clientgen.generator.output import Changes


def test_a_stage_is_named_once_it_takes_long(capsys: pytest.CaptureFixture[str]):
    with Progress(shown=True, patience=0) as progress:
        progress("formatting")
        timer = progress._timer
        assert isinstance(timer, threading.Timer)
        timer.join()
    assert capsys.readouterr().err == "formatting ...\n"


def test_a_stage_that_is_quick_is_not_named(capsys: pytest.CaptureFixture[str]):
    with Progress(shown=True, patience=3600) as progress:
        progress("reading")
        reading = progress._timer
        progress("formatting")
        formatting = progress._timer
    for timer in (reading, formatting):
        assert timer is not None
        timer.join()
    assert capsys.readouterr().err == ""


def test_progress_is_silent_without_a_terminal(capsys: pytest.CaptureFixture[str]):
    with Progress(patience=0) as progress:
        progress("formatting")
        assert progress._timer is None
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("changes", "unchanged", "line"),
    [
        (Changes(), True, "x: unchanged since the last run"),
        (Changes(kept=1), False, "x: up to date, 1 file"),
        (Changes(("a",), (), 0), False, "x: 1 file written"),
        (
            Changes(("a", "b"), ("c",), 7),
            False,
            "x: 2 files written, 1 file removed, 7 as before",
        ),
    ],
)
def test_a_run_is_told_on_one_line(changes: Changes, unchanged: bool, line: str):
    assert tell_changes("x", changes, unchanged=unchanged) == line


def test_counts_use_singular_and_plural():
    assert (count(0, "file"), count(1, "file"), count(2, "file")) == (
        "0 files",
        "1 file",
        "2 files",
    )


def test_older_copies_are_told_on_one_line_or_each():
    core, meta = GroupVersion("", "v1"), GroupVersion("meta", "v1")
    copies = [
        OlderCopy("a.yaml[0]#/x", ModelId(core, "PodSpec"), ("hostUsers", "containers.stdin")),
        OlderCopy("b.yaml[0]#/y", ModelId(core, "PodSpec"), ("hostUsers",)),
        OlderCopy("b.yaml[0]#/z", ModelId(meta, "Condition"), ("observedGeneration",)),
    ]

    assert list(summary_of_older(copies, verbose=True)) == [
        "older copy: a.yaml[0]#/x: PodSpec of core/v1 without hostUsers, containers.stdin",
        "older copy: b.yaml[0]#/y: PodSpec of core/v1 without hostUsers",
        "older copy: b.yaml[0]#/z: Condition of meta/v1 without observedGeneration",
    ]
    assert list(summary_of_older(copies, verbose=False)) == [
        "older copies of known types: 3 (2 PodSpec, 1 Condition); --verbose lists what they lack"
    ]
    assert list(summary_of_older([], verbose=False)) == []
