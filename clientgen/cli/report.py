"""Output of commands: problems and progress to stderr, results to stdout."""

from __future__ import annotations

import re
import sys
import threading
from collections import Counter
from typing import TYPE_CHECKING

import click

from clientgen._problems import visible
from clientgen.generator.package_manifest import MANIFEST, Manifest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from types import TracebackType
    from typing import Self

    from clientgen._problems import ClientgenError, Problem
    from clientgen.generator.drift import Move
    from clientgen.generator.ir import OlderCopy, Skipped
    from clientgen.generator.output import Changes, Differences

# A whole package that differs would fill the terminal and say nothing.
_MAX_DIFF_LINES = 300
_MAX_FILES = 20
_NOT_THERE = "there is no package yet: everything in it is new"
_NOT_COMPARED = "what changes for its users is not known: its manifest is missing or cannot be read"
_DIFF_COLOURS = {"-": "red", "+": "green", "@": "cyan"}


def show_problems(error: ClientgenError) -> None:
    """Print everything that is wrong, in the order of the places, and how much it is."""
    for problem in sorted(error.problems, key=_by_place):
        click.echo(str(problem), err=True)
    click.echo(count(len(error.problems), "problem"), err=True)


def show_notes(notes: Iterable[Problem]) -> None:
    """Print what authors of sources should hear of."""
    for note in sorted(notes, key=_by_place):
        click.echo(f"note: {note}", err=True)


def show_unavailable(unavailable: Mapping[str, str]) -> None:
    """Print the group versions that a cluster could not describe, and why."""
    for group_version, reason in sorted(unavailable.items()):
        click.echo(f"left out: {visible(f'{group_version}: {reason}')}", err=True)


def _by_place(problem: Problem) -> tuple[list[tuple[int, str]], Problem]:
    """Numbers in a place count as numbers: line 9 comes before line 10."""
    parts = re.split(r"(\d+)", problem.where)
    return [(int(part) if part.isdigit() else -1, part) for part in parts], problem


def count(number: int, noun: str) -> str:
    """`1 file`, `2 files`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


class Progress:
    """Names a stage on stderr once it has taken a second; silent where nobody is watching."""

    def __init__(self, *, shown: bool | None = None, patience: float = 1.0) -> None:
        self._shown = sys.stderr.isatty() if shown is None else shown
        self._patience = patience
        self._timer: threading.Timer | None = None

    def __call__(self, stage: str) -> None:
        """Say that a stage begins, and with it that the one before has ended."""
        self._stop()
        if self._shown:
            self._timer = threading.Timer(self._patience, self._tell, [stage])
            self._timer.daemon = True
            self._timer.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stop()

    def _stop(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None

    def _tell(self, stage: str) -> None:
        click.echo(f"{stage} ...", err=True)


def tell_changes(target: str, changes: Changes, *, unchanged: bool) -> str:
    """Return a line about what a run did."""
    if unchanged:
        return f"{target}: unchanged since the last run"
    if not changes:
        return f"{target}: up to date, {count(changes.kept, 'file')}"
    parts = ((changes.written, "written"), (changes.removed, "removed"))
    done = [f"{count(len(paths), 'file')} {verb}" for paths, verb in parts if paths]
    as_before = [f"{changes.kept} as before"] if changes.kept else []
    return f"{target}: {', '.join([*done, *as_before])}"


def tell_moved(target: str, moved: Iterable[Move]) -> None:
    """Print which packages of groups are called otherwise than before, even if told to hush."""
    every = tuple(moved)
    for move in every:
        message = f"the package of {move.group} is now called `{move.new}` instead of `{move.old}`"
        click.echo(f"{target}: {message}: update your imports of it", err=True)
    if every:
        lines = ["to keep the old names, add this to the config:", "[rename]"]
        for line in (*lines, *(move.keeping for move in every)):
            click.echo(f"    {line}", err=True)


def tell_recovered(target: str) -> None:
    """Print that a run before was killed while it wrote there, even if told to hush."""
    click.echo(f"{target}: a previous run was interrupted; its leftovers were removed", err=True)


def summary_of_skipped(skipped: Iterable[Skipped], *, verbose: bool) -> Iterator[str]:
    """Yield the items that nothing was generated for: one line in all, or one each."""
    items = tuple(skipped)
    if verbose:
        for item in items:
            yield f"left out: {visible(item.what)}: {item.reason}"
    elif items:
        reasons = Counter(item.reason for item in items).most_common()
        yield f"left out: {len(items)} ({'; '.join(f'{n} {reason}' for reason, n in reasons)})"


def summary_of_older(copies: Iterable[OlderCopy], *, verbose: bool) -> Iterator[str]:
    """Yield the older copies of known types: one line in all, or one each."""
    items = tuple(copies)
    if verbose:
        for item in items:
            home = item.model.group_version
            of = f"{item.model.name} of {home.group or 'core'}/{home.version}"
            missing = ", ".join(item.missing)
            yield f"older copy: {visible(f'{item.where}: {of} without {missing}')}"
    elif items:
        types = Counter(item.model.name for item in items).most_common()
        named = ", ".join(f"{n} {name}" for name, n in types)
        yield f"older copies of known types: {len(items)} ({named}); --verbose lists what they lack"


def tell_api(api: Sequence[str]) -> Iterator[str]:
    """Yield what changes for users of a package, if anything does."""
    if api:
        yield "what changes:"
        yield from (f"  {line}" for line in api)


def tell_diffs(target: str, differences: Differences, *, diff: bool = True) -> Iterator[str]:
    """Yield the changes for users and how many files differ; or which, with a diff."""
    yield f"{target} is not what would be generated:"
    if not differences.compared:
        yield _NOT_COMPARED if differences.changed else _NOT_THERE
    yield from tell_api(differences.api)
    lists = {
        "changed": [changed.path for changed in differences.changed],
        "missing": differences.missing,
        "stale": differences.stale,
    }
    if diff:
        yield from _files(lists)
        yield from _diff(differences)
        return
    counts = ", ".join(f"{len(paths)} {name}" for name, paths in lists.items() if paths)
    if differences.compared and not differences.api:
        code = _changed_code(differences)
        yield "no kind, field, verb or module changes"
        if code:
            yield f"other code does: {', '.join(code[:_MAX_FILES])}"
        else:
            counts += ", which users do not see"
    yield f"files: {counts}; --diff shows them"


def _changed_code(differences: Differences) -> list[str]:
    """The modules that come, go, or change in more than their comments, docstrings and layout."""
    from clientgen.generator.drift import same_code  # only now: most runs find nothing

    changed = [
        file.path for file in differences.changed if not same_code(file.on_disk, file.wanted)
    ]
    every = [*_changed_classes(differences), *changed, *differences.missing, *differences.stale]
    return [path for path in every if path.endswith((".py", "py.typed", ".toml"))]


def _changed_classes(differences: Differences) -> list[str]:
    """The modules of Python types that changed: the package imports their classes from there."""
    for file in differences.changed:
        if file.path == MANIFEST:
            old, new = _inputs(file.on_disk), _inputs(file.wanted)
            every = sorted(old.keys() | new.keys())
            return [path for path in every if old.get(path) != new.get(path)]
    return []


def _inputs(text: str) -> Mapping[str, str]:
    manifest = Manifest.parse(text.encode())
    return manifest.inputs if manifest else {}


def _files(lists: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for name, paths in lists.items():
        if paths:
            yield f"{name}:"
            yield from (f"  {path}" for path in paths[:_MAX_FILES])
            if len(paths) > _MAX_FILES:
                yield f"  and {len(paths) - _MAX_FILES} more"


def _diff(differences: Differences) -> Iterator[str]:
    # Digests say nothing to people, where there is anything else to be seen.
    shown = [
        changed for changed in differences.changed if changed.path != MANIFEST
    ] or differences.changed
    lines = [line for changed in shown for line in changed.diff()]
    yield from map(_coloured, lines[:_MAX_DIFF_LINES])
    if len(lines) > _MAX_DIFF_LINES:
        yield f"... and {len(lines) - _MAX_DIFF_LINES} more lines"


def _coloured(line: str) -> str:
    return click.style(line, fg=_DIFF_COLOURS.get(line[:1]))
