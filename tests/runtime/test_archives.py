"""Archives from containers, also from hostile ones."""

from __future__ import annotations

import errno
import io
import os
import socket
import stat
import tarfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.scarcity import few_descriptors

from clientgen.runtime import CopyResult
from clientgen.runtime._archives.packing import Packer
from clientgen.runtime._archives.reader import ArchiveReader, Entry
from clientgen.runtime._archives.remote_paths import path_from, path_to
from clientgen.runtime._archives.source_folder import SourceFolder
from clientgen.runtime._archives.unpacking import PlainFile, Unpacker
from clientgen.runtime.errors import CopyFailed

Member = tuple[str, bytes, bytes, str]
FILE, FOLDER, SYMLINK, LINK = tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE


def header(name: str, kind: bytes = FILE, size: int = 0, target: str = "", **fields: Any) -> bytes:
    """The blocks before the data of a file, in GNU's format."""
    info = tarfile.TarInfo(name)
    info.type, info.size, info.linkname = kind, size, target
    for field, value in {"mode": 0o644, **fields}.items():
        setattr(info, field, value)
    return info.tobuf(tarfile.GNU_FORMAT, "utf-8", "surrogateescape")


def archive(*members: Any, end: bytes = bytes(1024)) -> bytes:
    """An archive of members: names for empty files, or name, kind, data, target."""
    parts: list[bytes] = []
    for member in members:
        if isinstance(member, bytes):
            parts.append(member)
            continue
        name, kind, data, target = (member, FILE, b"x", "") if isinstance(member, str) else member
        size = len(data) if kind == FILE else 0
        parts += [header(name, kind, size, target), data[:size], bytes(-size % 512)]
    return b"".join(parts) + end


def pax(records: bytes, kind: bytes = tarfile.XHDTYPE) -> bytes:
    return header("pax", kind, len(records)) + records + bytes(-len(records) % 512)


def record(key: bytes, value: bytes) -> bytes:
    rest = b" %b=%b\n" % (key, value)
    size = len(rest) + len(str(len(rest)))
    return str(len(rest) + len(str(size))).encode() + rest


def unpack(
    data: bytes, target: Path, root: str = "r", limit: int | None = None, step: int = 700
) -> CopyResult:
    unpacker = Unpacker(target, root, limit)
    try:
        for start in range(0, len(data), step):
            unpacker.feed(data[start : start + step])
        return unpacker.finish()
    finally:
        unpacker.close()


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """A folder with a target, and files beside it that nobody may touch."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/file").write_text("mine")
    (tmp_path / "file").write_text("mine")
    return tmp_path


def untouched(world: Path, allowed: Iterable[str] = ("target",)) -> bool:
    names = {path.name for path in world.iterdir()} - set(allowed)
    inner = [path.name for path in (world / "outside").iterdir()]
    texts = [(world / name).read_text() for name in ("file", "outside/file")]
    return names == {"outside", "file"} and inner == ["file"] and texts == ["mine", "mine"]


# ---- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("members", "words"),
    [
        (["/etc/passwd"], "outside of the source: '/etc/passwd'"),
        (["../file"], "outside of the source"),
        (["r/../../file"], "outside of the source"),
        (["r/a/../b"], "outside of the source"),
        (["other/file"], "outside of the source"),
        (["rr"], "outside of the source"),
        ([("..", FOLDER, b"", "")], "outside of the source"),
        ([("r/l", LINK, b"", "../file")], "outside of the source"),
        ([("r/l", LINK, b"", "/etc/passwd")], "outside of the source"),
        ([("r", SYMLINK, b"", "/etc")], "the source is a link; copy its target instead: /etc"),
        (["r", ("r/l", LINK, b"", "r/l")], "is not a directory"),
        ([("r/d", FOLDER, b"", ""), ("r/l", LINK, b"", "r/d")], "a hard link to a non-file"),
        ([("r", FOLDER, b"", ""), ("r/l", LINK, b"", "r")], "a hard link to a non-file"),
        ([header("r/s", tarfile.GNUTYPE_SPARSE)], "sparse files cannot be copied"),
        ([pax(b"22 GNU.sparse.major=1\n"), "r/s"], "sparse files cannot be copied"),
        ([header("r/n", tarfile.GNUTYPE_LONGNAME, 1 << 21)], "a header of 2097152 bytes"),
        ([header("r/n", tarfile.XHDTYPE, 1 << 40)], "a header of 1099511627776 bytes"),
        ([pax(b"no record"), "r/a"], "a pax header is malformed"),
        ([pax(b"999 path=r/a\n"), "r/a"], "a pax header is malformed"),
        ([pax(b"0 path=r/a\n"), "r/a"], "a pax header is malformed"),
        ([pax(b"11 size=-1\n"), "r/a"], "a pax header has the size '-1'"),
        ([pax(b"13 mtime=now\n"), "r/a"], "a pax header has the mtime 'now'"),
        ([pax(b"14 path=r/a\0b\n"), "r/x"], "a name that cannot be used here"),
        (
            [pax(b"17 linkpath=r/\0b\n"), ("r/x", SYMLINK, b"", "")],
            "a name that cannot be used here",
        ),
        ([pax(record(b"path", b"r" + b"/a" * 501)), "r/x"], "a name has 502 folders: 'r/a/a"),
        ([b"y" * 512], "not a tar archive: invalid header"),
        ([header("r/a", size=1 << 62)], "ends in the middle of a file"),
        ([header("r/a", size=5) + b"12"], "ends in the middle of a file"),
        ([header("r/a")[:100]], "ends in the middle of a file"),
        ([], "the archive is empty"),
    ],
)
def test_what_is_refused(world: Path, members: list[Any], words: str) -> None:
    end = b"" if "middle" in words else bytes(1024)
    with pytest.raises(CopyFailed, match=words):
        unpack(archive(*members, end=end), world / "target")

    assert untouched(world)
    assert not [path for path in world.rglob("*") if path.name.startswith(".clientgen")]


def test_a_negative_size(world: Path) -> None:
    block = bytearray(header("r/a"))
    block[124:136] = b"\xff" * 12
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)

    with pytest.raises(CopyFailed, match="the size of -1 bytes is negative"):
        unpack(bytes(block), world / "target")


def test_the_limit_is_for_what_headers_announce(world: Path) -> None:
    with pytest.raises(CopyFailed, match="files are larger than limit=1000 bytes"):
        unpack(header("r/a", size=1 << 62), world / "target", limit=1000)
    with pytest.raises(CopyFailed, match="files are larger than limit=1000 bytes"):
        unpack(archive(*[(f"r/{n}", FILE, b"", "") for n in range(10)]), world / "t", limit=1000)
    assert unpack(archive(("r/a", FILE, b"1" * 1000, "")), world / "t2", limit=1000).size == 1000


LONG = b"x" * 60_000
RECORD = record(b"linkpath", LONG)


@pytest.mark.parametrize(
    "member",
    [
        pax(RECORD) + header("r/{n}", SYMLINK),
        header("r/n", tarfile.GNUTYPE_LONGLINK, 60_000) + LONG + bytes(416) + header("r/{n}", LINK),
        pax(RECORD.replace(b"linkpath", b"passport")) + header("r/{n}", FOLDER),
        pax(RECORD.replace(b"linkpath", b"comments"), tarfile.XGLTYPE),  # of no file at all
        pax(RECORD.replace(b"linkpath", b"comments")),
    ],
)
def test_the_limit_is_for_headers_too(world: Path, member: bytes) -> None:
    """They stay in memory: 2,000 links with long targets took 588 MB under a limit of 1 MB."""
    unpacker = Unpacker(world / "target", "r", 1_000_000)
    taken = 0
    told = ""
    while not told and taken < 3_000_000:
        taken += len(member)
        try:
            unpacker.feed(member)
        except CopyFailed as error:
            told = str(error)
    unpacker.close()
    assert told == "the files are larger than limit=1000000 bytes"
    assert taken < 1_500_000


def test_the_limit_is_for_folders_of_names_too(world: Path) -> None:
    """A name of a few bytes makes hundreds of them."""
    deep = [
        pax(record(b"path", b"r/%d" % n + b"/a" * 400 + b"/f")) + header("r/f") for n in range(9)
    ]
    with pytest.raises(CopyFailed, match="files are larger than limit=1000000 bytes"):
        unpack(archive(*deep), world / "target", limit=1_000_000)
    assert unpack(archive(*deep[:2]), world / "t", limit=1_000_000).files == 2


def test_usual_headers_do_not_count(world: Path) -> None:
    named = pax(record(b"path", b"r/" + b"n" * 198))
    data = archive(named, ("r/a", FILE, b"1" * 1000, ""))
    assert unpack(data, world / "target", limit=1000).size == 1000


def test_without_a_limit_names_do_not_take_all_memory(
    world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clientgen.runtime._archives.unpacking._MAX_NAME_CHARACTERS", 1000)
    members = [(f"r/{n}", SYMLINK, b"", "a" * 90) for n in range(12)]
    with pytest.raises(CopyFailed, match="links and directories are too long"):
        unpack(archive(*members), world / "target")
    with pytest.raises(CopyFailed, match="a name of 100000 characters"):
        unpack(
            archive(pax(record(b"linkpath", b"x" * 100_000)), ("r/l", SYMLINK, b"", "")),
            world / "t",
        )


def test_headers_do_not_take_memory() -> None:
    reader = ArchiveReader()
    for _ in range(1000):
        assert list(reader.feed(pax(b"8 a=bcd\n" * 1000, tarfile.XGLTYPE))) == []
    assert len(reader._overrides) == 0
    for number in range(1000):
        list(reader.feed(pax(record(b"k%d" % number, b"v" * 1000))))
    assert len(reader._overrides) == 0


# ---- what is made safe --------------------------------------------------------------------------


LEADS_OUT = ["/etc/passwd", "..", "../..", "a/../../..", "../outside/file", "d/..", "/", ""]


@pytest.mark.parametrize("target", LEADS_OUT)
def test_links_that_lead_out_are_skipped(world: Path, target: str) -> None:
    done = unpack(archive("r/a", ("r/l", SYMLINK, b"", target)), world / "target")

    assert done.skipped == ("r/l",)
    assert [path.name for path in (world / "target").iterdir()] == ["a"]


def test_links_that_stay_within_are_made(world: Path) -> None:
    links = {"r/l": "a", "r/d/e/l": "../../a", "r/d/self": ".", "r/d/dangling": "e/nothing"}
    members = [(name, SYMLINK, b"", target) for name, target in links.items()]

    done = unpack(archive(*members, "r/a"), world / "target")

    assert done.skipped == ()
    made = {f"r/{path.relative_to(world / 'target')}" for path in (world / "target").rglob("*")}
    assert made >= {*links, "r/a"}
    assert (world / "target/d/e/l").read_text() == "x"


def test_nothing_is_written_through_a_link_of_the_archive(world: Path) -> None:
    """Links are made at the end: before that, their places are ordinary folders."""
    members = [("r/d", SYMLINK, b"", "."), "r/d/file", ("r/l", SYMLINK, b"", "d"), "r/l"]

    done = unpack(archive(*members), world / "target")

    assert untouched(world)
    assert (world / "target/d/file").read_text() == "x"
    assert "r/d" in done.skipped


def test_chains_of_links_do_not_lead_out(world: Path) -> None:
    chain = [("r/d/e/f", SYMLINK, b"", "."), ("r/g", SYMLINK, b"", "d/e/f/../../..")]

    assert unpack(archive(*chain, "r/g/file"), world / "target").skipped == ("r/g",)
    assert untouched(world)


def test_nothing_is_written_through_a_link_of_this_machine(world: Path) -> None:
    target = world / "target"
    target.mkdir()
    (target / "d").symlink_to(world / "outside")
    (target / "file").symlink_to(world / "file")

    with pytest.raises(CopyFailed, match=r"'.*/target/d' is not a directory"):
        unpack(archive("r/d/file"), target)
    unpack(archive("r/file"), target)

    assert untouched(world)
    assert not (target / "file").is_symlink()


@pytest.mark.parametrize("step", ["file", "folder", "end"])
@pytest.mark.parametrize("swapped", ["d", "d/e", ""])
def test_a_folder_that_becomes_a_link_meanwhile_leads_nowhere(
    world: Path, step: str, swapped: str
) -> None:
    """Another program of this machine may change the target while it is written."""
    target = world / "target"
    unpacker = Unpacker(target, "r")
    unpacker.feed(header("r/d/e", FOLDER) + header("r/d/l", LINK, target="r/d/e/a"))
    unpacker.feed(archive("r/d/e/a", header("r/d/e/b", size=3), end=b"x"))
    (target / swapped).rename(world / "moved")
    (target / swapped).symlink_to(world / "outside")
    for name in ("e", "d/e"):
        (world / "outside" / name).mkdir(parents=True)
    before = {path: path.stat().st_mtime_ns for path in (world / "outside").rglob("*")}
    with suppress(CopyFailed):
        unpacker.feed(b"xx" + bytes(509))
        if step == "file":
            unpacker.feed(archive("r/d/e/c", end=b""))
        elif step == "folder":
            unpacker.feed(header("r/d/e/f", FOLDER) + archive("r/d/e/f/c", end=b""))
        unpacker.feed(bytes(1024))
        unpacker.finish()
    unpacker.close()
    after = {path: path.stat().st_mtime_ns for path in (world / "outside").rglob("*")}
    assert after == before
    assert not list(world.rglob(".clientgen*"))


def test_devices_and_pipes_are_skipped(world: Path) -> None:
    kinds = [tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, b"Z"]
    members = [(f"r/{number}", kind, b"", "") for number, kind in enumerate(kinds)]

    done = unpack(archive(*members, "r/a"), world / "target")

    assert done.skipped == ("r/0", "r/1", "r/2", "r/3")
    assert [path.name for path in (world / "target").iterdir()] == ["a"]


def test_bits_that_run_programs_as_their_owner_are_not_kept(world: Path) -> None:
    unpack(header("r/a", mode=0o7755) + header("r/d", FOLDER, mode=0o7000), world / "target")

    assert stat.S_IMODE((world / "target/a").stat().st_mode) == 0o755
    assert stat.S_IMODE((world / "target/d").stat().st_mode) == 0o700


@pytest.mark.parametrize(
    ("umask", "mode", "file", "folder"),
    [
        (0o022, 0o777, 0o755, 0o755),
        (0o022, 0o666, 0o644, 0o744),
        (0o000, 0o777, 0o755, 0o755),  # the owner decides who else may write, not the container
        (0o000, 0o622, 0o600, 0o700),
        (0o077, 0o755, 0o700, 0o700),
        (0o027, 0o755, 0o750, 0o750),
        (0o022, 0o055, 0o644, 0o755),  # who may not run it, nobody may
        (0o022, 0o000, 0o600, 0o700),
    ],
)
def test_others_get_no_more_than_the_umask_gives(
    world: Path, umask: int, mode: int, file: int, folder: int
) -> None:
    before = os.umask(umask)
    try:
        unpack(header("r/a", mode=mode) + header("r/d", FOLDER, mode=mode), world / "target")
    finally:
        os.umask(before)
    assert stat.S_IMODE((world / "target/a").stat().st_mode) == file
    assert stat.S_IMODE((world / "target/d").stat().st_mode) == folder


@pytest.mark.parametrize("mtime", [-1, 1 << 62, -(1 << 62), 0])
def test_times_that_cannot_be(world: Path, mtime: int) -> None:
    assert unpack(header("r/a", mtime=mtime), world / "target").files == 1


@pytest.mark.parametrize("mtime", [b"nan", b"inf", b"-1e400", b"1.5"])
def test_times_in_pax_headers(world: Path, mtime: bytes) -> None:
    record = b" mtime=" + mtime + b"\n"
    record = b"%d" % (len(record) + 2) + record

    assert unpack(archive(pax(record), "r/a"), world / "target").files == 1


def test_names_in_any_encoding(world: Path) -> None:
    names = [b"\xff\xfe", "é漢".encode(), b"back\\slash", b"new\nline", b" ", b"-rf", b"*"]

    unpack(archive(*[f"r/{os.fsdecode(name)}" for name in names]), world / "target")

    assert {os.fsencode(path.name) for path in (world / "target").iterdir()} == set(names)


def test_a_name_that_is_too_long_for_this_machine(world: Path) -> None:
    with pytest.raises(CopyFailed, match=r"x' cannot be written: .*too long"):
        unpack(archive(f"r/{'x' * 5000}"), world / "target")
    assert list((world / "target").iterdir()) == []


def test_a_file_that_comes_twice(world: Path) -> None:
    members = [("r/a", FILE, b"1", ""), ("r/a", FILE, b"22", "")]

    assert unpack(archive(*members), world / "target").size == 3
    assert (world / "target/a").read_text() == "22"


def test_a_full_disk(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is buffered is written when the file is closed, where it fails, too."""

    class Full(io.RawIOBase):
        def writable(self) -> bool:
            return True

        def write(self, _: Any) -> int:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def create(*_: Any) -> Any:
        return io.BufferedWriter(Full())

    (world / "target").write_text("old")
    monkeypatch.setattr("clientgen.runtime._archives.folders.Folder.create", create)
    because = "/target' cannot be written: No space left on device$"
    for size in (5, 1 << 20):
        with pytest.raises(CopyFailed, match=because) as caught:
            unpack(archive(("r", FILE, bytes(size), "")), world / "target")
        assert isinstance(caught.value.__cause__, OSError)
        plain = PlainFile(world / "target")
        with pytest.raises(CopyFailed, match=because):  # noqa: PT012 - either may be the first
            plain.feed(bytes(size))
            plain.finish()
        plain.close()
    assert (world / "target").read_text() == "old"


def test_a_broken_archive_leaves_what_was_there(world: Path) -> None:
    (world / "target").write_text("old")

    with pytest.raises(CopyFailed, match="ends in the middle"):
        unpack(header("r", size=5) + b"12", world / "target")

    assert (world / "target").read_text() == "old"
    assert untouched(world)


def test_many_skipped_names_are_not_all_kept(world: Path) -> None:
    members = [(f"r/{n}", tarfile.FIFOTYPE, b"", "") for n in range(3000)]

    assert len(unpack(archive(*members), world / "target").skipped) == 1000


def test_many_links_are_refused(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clientgen.runtime._archives.unpacking._MAX_DEFERRED", 5)
    members = [(f"r/{n}", SYMLINK, b"", "a") for n in range(10)]

    with pytest.raises(CopyFailed, match="more than 5 links and directories"):
        unpack(archive(*members), world / "target")


# ---- any archive --------------------------------------------------------------------------------

PART = st.sampled_from(["a", "b", "r", "..", ".", "outside", "file", ""])
PATH = st.lists(PART, max_size=5).map("/".join)
MEMBER = st.tuples(
    st.one_of(PATH, PATH.map(lambda path: f"r/{path}"), PATH.map(lambda path: f"/{path}")),
    st.sampled_from([FILE, FOLDER, SYMLINK, LINK]),
    st.binary(max_size=5),
    st.one_of(PATH, PATH.map(lambda path: f"../{path}"), PATH.map(lambda path: f"/{path}")),
)


@given(members=st.lists(MEMBER, max_size=12), step=st.sampled_from([1, 511, 513, 10_000]))
def test_no_archive_touches_anything_else(members: list[Member], step: int) -> None:
    with TemporaryDirectory() as folder:
        world = Path(folder)
        (world / "outside").mkdir()
        (world / "outside/file").write_text("mine")
        (world / "file").write_text("mine")
        (world / "target").mkdir()
        (world / "target/outside").symlink_to(world / "outside")
        try:
            unpack(archive(*members), world / "target", step=step)
        except CopyFailed:
            pass
        finally:
            assert untouched(world)
        for path in (world / "target").rglob("*"):
            if path.is_symlink() and path.name != "outside":
                leads_to = Path(os.path.realpath(path))  # `resolve` refuses a link to itself
                assert leads_to.is_relative_to(world.resolve() / "target") or any(
                    part == "outside" for part in path.readlink().parts
                )


@given(st.binary(max_size=3000))
def test_no_bytes_crash_the_reader(data: bytes) -> None:
    reader = ArchiveReader()
    with suppress(CopyFailed):
        list(reader.feed(data))


NAME = st.text(st.characters(exclude_characters="/\0", codec="utf-8"), min_size=1, max_size=200)
NAMES = NAME.filter(lambda name: name not in {".", ".."})


@given(
    files=st.dictionaries(NAMES, st.binary(max_size=2000), max_size=5),
    form=st.sampled_from([tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT]),
    step=st.integers(1, 2000),
)
def test_archives_of_all_formats_are_read(files: dict[str, bytes], form: int, step: int) -> None:
    made = io.BytesIO()
    names = {name for name in files if len(name.encode()) <= 90 or form != tarfile.USTAR_FORMAT}
    with tarfile.open(fileobj=made, mode="w", format=form, encoding="utf-8") as tar:
        for name in names:
            info = tarfile.TarInfo(f"r/{name}")
            info.size, info.mtime = len(files[name]), 1.5 if form == tarfile.PAX_FORMAT else 1
            tar.addfile(info, io.BytesIO(files[name]))
    data = made.getvalue()
    reader = ArchiveReader()
    read: dict[str, bytes] = {}
    last = ""
    for start in range(0, len(data), step):
        for item in reader.feed(data[start : start + step]):
            if isinstance(item, Entry):
                last = item.name
                read[last] = b""
            else:
                read[last] += item

    assert reader.is_over
    assert read == {f"r/{name}": files[name] for name in names}


# ---- archives that are made ---------------------------------------------------------------------


def test_large_files_have_large_numbers(tmp_path: Path) -> None:
    """Sizes from 8 GiB do not fit into the digits of a header."""
    (tmp_path / "big").touch()
    os.truncate(tmp_path / "big", 9 << 30)
    pieces = Packer(tmp_path / "big", "big").pieces()
    first = next(pieces)
    pieces.close()

    [entry] = [each for each in ArchiveReader().feed(first) if isinstance(each, Entry)]
    assert entry.size == 9 << 30


def test_a_file_that_shrinks_while_it_is_read(tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(bytes(1 << 20))
    pieces = Packer(tmp_path / "big", "big").pieces()
    next(pieces)
    os.truncate(tmp_path / "big", 1000)

    with pytest.raises(CopyFailed, match="was truncated while it was read"):
        list(pieces)


def test_a_file_that_grows_while_it_is_read(tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(bytes(1 << 20))
    pieces = Packer(tmp_path / "big", "big").pieces()
    data = next(pieces)
    with (tmp_path / "big").open("ab") as file:
        file.write(b"more")
    data += b"".join(pieces)

    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        assert tar.getmembers()[0].size == 1 << 20
    assert len(data) % tarfile.RECORDSIZE == 0


@pytest.mark.parametrize("kind", ["a FIFO", "a link", "a socket"])
def test_what_becomes_no_file_just_before_it_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """To open a FIFO would block until somebody writes to it."""
    (tmp_path / "src").mkdir()
    (file := tmp_path / "src/a").write_text("x")
    (tmp_path / "private").write_text("of another user")
    monkeypatch.chdir(tmp_path)  # the path of a socket must be short
    real = SourceFolder.status

    def status(folder: SourceFolder, name: str) -> os.stat_result:
        found = real(folder, name)
        if name == "a":
            file.unlink()
            match kind:
                case "a FIFO":
                    os.mkfifo(file)
                case "a link":
                    file.symlink_to("../private")
                case _:
                    with socket.socket(socket.AF_UNIX) as made:
                        made.bind("src/a")
        return found

    monkeypatch.setattr(SourceFolder, "status", status)
    with pytest.raises(CopyFailed, match="src/a' was replaced by another file while it was read"):
        list(Packer(tmp_path / "src", "src").pieces())


def test_a_tree_that_is_deeper_than_a_program_may_have_files_open(tmp_path: Path) -> None:
    deep = tmp_path.joinpath("src", *["d"] * 100)
    deep.mkdir(parents=True)
    (deep / "a").write_text("x")
    with few_descriptors(10):
        data = b"".join(Packer(tmp_path / "src", "src").pieces())

    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        assert len(tar.getnames()) == 101


@pytest.mark.parametrize(
    ("source", "folder", "name"),
    [
        ("/srv/www", "/srv", "www"),
        ("/srv/www/", "/srv", "www"),
        ("/srv/../x", "/", "x"),
        ("a", ".", "a"),
        ("-a/b", "./-a", "b"),
        ("/", "/", "."),
        (".", ".", "."),
        ("..", "..", "."),
        ("../a", "..", "a"),
    ],
)
def test_where_a_copy_is_read(source: str, folder: str, name: str) -> None:
    assert path_from(source) == (folder, name)


@pytest.mark.parametrize(
    ("target", "folder", "name"),
    [
        ("/srv/www", "/", "srv/www"),
        ("/srv/", "/", "srv/dist"),
        ("/", "/", "dist"),
        ("./", ".", "dist"),
        ("a/../b", ".", "b"),
        ("../../b", "./../..", "b"),
        ("..", "./..", "."),
        ("/..", "/", "."),
        (".", ".", "."),
    ],
)
def test_where_a_copy_is_written(target: str, folder: str, name: str) -> None:
    assert path_to(target, "dist") == (folder, name)
