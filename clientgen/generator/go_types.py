"""The markers of Go operators' sources: what a Go team says about its kinds holds in Python too.

Only markers are read, never types: the CustomResourceDefinition describes the kind. As in
client-gen, the two comment blocks above `type X struct` count, and markers of a whole package, such
as its group, may be in the comments of any of its files.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from clientgen._gvk import GroupVersion
from clientgen._problems import Problems
from clientgen.generator.genclient import MarkerLine, Tag
from clientgen.generator.genclient_markers import extract_markers, parse_markers
from clientgen.generator.go_source import GoFile, GoType, read_go
from clientgen.generator.sources.files import links_to_nowhere
from clientgen.generator.sources.spec import Input

_VERSION_NAME = "versionName"
_PACKAGE_TAGS = (Tag.GROUP_NAME, Tag.GROUP_GO_NAME, _VERSION_NAME, *Tag.SWITCHES)
_TYPE_TAGS = (*Tag.TYPE, Tag.RESOURCE_NAME)
_WHERE_MARKERS_STAND = (
    "Put it in the comment directly above `type X struct`, or in a comment one blank line above"
    " that."
)
_VERSION = re.compile(r"v[0-9]+(?:(?:alpha|beta)[0-9]+)?")
_NAMED_VERSION = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
# Go's tools pass over `_x`, `.x` and testdata; what is vendored is somebody else's.
_SKIPPED_FOLDERS = ("vendor", "testdata")
_GENERATED = "zz_generated."


def gather(paths: Iterable[Path], root: Path) -> tuple[Input, ...]:
    """Read Go sources: files, and folders with all that is below them, each once, by name.

    Tests, what generators wrote (`zz_generated.*`) and vendored packages are left out of folders.

    Args:
        paths: files and folders, absolute or relative to the working directory.
        root: what names in the manifest are relative to.

    Raises:
        ClientgenError: with every path that is missing, unreadable or holds no Go sources.
    """
    problems = Problems()
    files = {_key(file): file for path in paths for file in _files(path, problems)}
    inputs = [_read(file, root, problems) for file in files.values()]
    problems.raise_if_any()
    return tuple(sorted((source for source in inputs if source), key=lambda source: source.name))


def _key(file: Path) -> str:
    return os.path.abspath(file)  # noqa: PTH100 - `a/../b` is `b`, wherever links lead


def _files(path: Path, problems: Problems) -> list[Path]:
    if path.is_dir():
        every = sorted(path.rglob("*.go"))
        links_to_nowhere((file for file in every if _is_theirs(file, path)), {".go"}, problems)
        chosen = [file for file in every if _is_wanted(file, path)]
        if not chosen:
            problems.add(str(path), "there are no Go sources in this folder")
        return chosen
    if not path.exists():
        problems.add(str(path), "there is no such file or folder")
    elif path.suffix != ".go":
        problems.add(str(path), "is not a Go source", "name a .go file, or a folder of them")
    else:
        return [path]
    return []


def _is_theirs(file: Path, folder: Path) -> bool:
    """Return whether a file is in no folder that Go's tools pass over."""
    parts = file.relative_to(folder).parts
    return not any(part in _SKIPPED_FOLDERS or part[0] in "._" for part in parts)


def _is_wanted(file: Path, folder: Path) -> bool:
    if not _is_theirs(file, folder):
        return False
    return file.is_file() and not file.name.endswith("_test.go") and _GENERATED not in file.name


def _read(file: Path, root: Path, problems: Problems) -> Input | None:
    try:
        data = file.read_bytes()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        problems.add(str(file), f"cannot be read: {reason}")
        return None
    try:
        name = Path(os.path.relpath(file, root)).as_posix()
    except ValueError:  # another drive
        name = file.as_posix()
    return Input(name, str(file), data)


@dataclass(frozen=True, slots=True)
class _Package:
    """The files of one folder, and what their comments say for all of them."""

    folder: str
    files: tuple[GoFile, ...]
    # By tag, each value once: the first line that says so.
    markers: Mapping[str, Sequence[MarkerLine]]

    def one(self, tag: str, problems: Problems) -> str | None:
        """Return the value of a tag that can have only one; repeated tags are problems."""
        lines = self.markers.get(tag, ())
        for line in lines[1:]:
            hint = f"remove one; the first is at {lines[0].where}"
            problems.add(line.where, f"`+{tag}` is given twice with different values", hint)
        return _value(lines[0].text) if lines else None


def parse(inputs: Iterable[Input]) -> Mapping[str, list[MarkerLine]]:
    """The markers of each kind by `str(GroupVersionKind)`, in the order of the sources.

    Raises:
        ClientgenError: with every marker that is wrong, stands nowhere or has no group.
    """
    problems = Problems()
    markers: dict[str, list[MarkerLine]] = {}
    for package in _packages(inputs, problems):
        for key, lines in _kinds(package, problems):
            first = markers.setdefault(key, lines)
            if first is not lines:
                hint = f"Remove one, or name only one of them; the first is at {first[0].where}"
                problems.add(lines[0].where, f"{key} has markers in two places", hint)
    problems.raise_if_any()
    return markers


def _packages(inputs: Iterable[Input], problems: Problems) -> Iterator[_Package]:
    folders: dict[str, list[GoFile]] = {}
    for source in sorted(inputs, key=lambda source: source.name):
        file = read_go(source.data, source.shown, problems)
        folders.setdefault(str(PurePosixPath(source.name).parent), []).append(file)
    for files in folders.values():
        folder = os.path.dirname(_key(Path(files[0].shown)))  # noqa: PTH120 - as above
        yield _Package(os.path.basename(folder), tuple(files), _marker_lines(files))  # noqa: PTH119


def _marker_lines(files: Iterable[GoFile]) -> dict[str, list[MarkerLine]]:
    """List the markers of the package by tag; equal markers in several files count once."""
    lines_by_tag: dict[str, dict[str, MarkerLine]] = {}
    for file in files:
        for block in file.loose:
            for number, text in block.markers():
                tag = _tag(text)
                if tag in _PACKAGE_TAGS:
                    line = MarkerLine(text, f"{file.shown}:{number}")
                    lines_by_tag.setdefault(tag, {}).setdefault(_value(text), line)
    return {tag: list(lines.values()) for tag, lines in lines_by_tag.items()}


def _tag(text: str) -> str:
    """gengo: a tag of a package may have empty parentheses, `+groupGoName()=X`."""
    return text.removeprefix("+").partition("=")[0].strip().removesuffix("()")


def _value(text: str) -> str:
    return text.partition("=")[2].strip()


def _kinds(package: _Package, problems: Problems) -> Iterator[tuple[str, list[MarkerLine]]]:
    """Every kind of a package that has markers, if the package has any."""
    marked = [
        (declared, lines)
        for file in package.files
        for declared in file.types
        if (lines := _lines(declared, file, problems))
    ]
    for file in package.files:
        _report_loose(file, problems)
    if not marked:
        return
    switches = [line for tag in Tag.SWITCHES for line in package.markers.get(tag, ())]
    parse_markers(_of_package(package), problems)
    group_version = _group_version(package, problems)
    for declared, lines in marked:
        parse_markers(lines, problems)
        if group_version:
            yield str(group_version.with_kind(declared.name)), [*lines, *switches]


def _of_package(package: _Package) -> list[MarkerLine]:
    """The lines that hold for the package and are of the `+genclient` grammar, for its checks."""
    tags = [tag for tag in _PACKAGE_TAGS if tag != _VERSION_NAME]
    return [
        line
        for tag in tags
        for line in package.markers.get(tag, ())[: None if tag in Tag.SWITCHES else 1]
    ]


def _lines(declared: GoType, file: GoFile, problems: Problems) -> list[MarkerLine]:
    """The markers above a type that are about its client; those of other generators are theirs."""
    lines = [
        MarkerLine(text, f"{file.shown}:{number}")
        for block in declared.blocks
        for number, text in block.markers()
        if extract_markers(text, "")
    ]
    if lines and not declared.is_struct:
        what = f"`{lines[0].text}` is above `type {declared.name}`, which is not a struct"
        problems.add(lines[0].where, what, "Put it above the `type X struct` of a kind.")
        return []
    return lines


def _report_loose(file: GoFile, problems: Problems) -> None:
    """Report markers of types that belong to no type. Go's generators ignore them silently."""
    for block in file.loose:
        for number, text in block.markers():
            where, tag = f"{file.shown}:{number}", _tag(text)
            if tag in _TYPE_TAGS:
                problems.add(where, f"`{text}` does not belong to a type", _WHERE_MARKERS_STAND)
            elif tag not in _PACKAGE_TAGS and extract_markers(text, where):
                parse_markers([MarkerLine(text, where)], problems)  # says what was meant


def _group_version(package: _Package, problems: Problems) -> GroupVersion | None:
    """Return the group version of the markers, or of the variable that registers kinds.

    client-gen takes the folder for a version that nothing says, and the one above it for a group.
    A wrong group would only be found when the server does not know it, so that is not done.
    """
    said_group, said_version = _literal(package)
    group = package.one(Tag.GROUP_NAME, problems)
    version = package.one(_VERSION_NAME, problems)
    where = _where(package)
    if group is None and said_group is None:
        hint = "Add `// +groupName=...` above `package` in its doc.go, or name that file too."
        problems.add(where, "the API group of this package is not declared", hint)
    if version is None:
        version = said_version or (package.folder if _VERSION.fullmatch(package.folder) else None)
    if version is None:
        what = f"the API version of this package is not declared; its folder is `{package.folder}`"
        problems.add(where, what, "Add `// +versionName=...` above `package` in its doc.go.")
    elif not _NAMED_VERSION.fullmatch(version):
        lines = package.markers.get(_VERSION_NAME)
        place = lines[0].where if lines else where
        problems.add(place, f"`{version}` is not a version", "write one such as `v1alpha1`")
    group = said_group if group is None else group
    return None if group is None or version is None else GroupVersion(group, version)


def _where(package: _Package) -> str:
    """The file where one would look for what is said of a package."""
    names = [file.shown for file in package.files]
    file_names = ("doc.go", "groupversion_info.go", "register.go")
    return next((name for end in file_names for name in names if Path(name).name == end), names[0])


def _literal(package: _Package) -> tuple[str | None, str | None]:
    """Group and version of `GroupVersion{...}`, where they can be read without running Go."""
    constants = {name: value for file in package.files for name, value in file.constants.items()}
    for file in package.files:
        if file.literal:
            literal = file.literal
            return _resolved(literal.group, constants), _resolved(literal.version, constants)
    return None, None


def _resolved(value: str | None, constants: Mapping[str, str]) -> str | None:
    if value is None:
        return None
    return value[1:-1] if value[0] in '"`' else constants.get(value)
