"""Files to and from containers. test_copy_threads.py is derived."""

from __future__ import annotations

import os
import socket
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import chdir, suppress
from pathlib import Path
from typing import Any

import pytest
from kubeapi import AsyncClientset
from kubeapi.core.v1 import Pod
from support.real_container import BUSYBOX, RealContainer

from clientgen.runtime._config.cluster_config import ClusterConfig
from clientgen.runtime.aio import AsyncRest
from clientgen.runtime.errors import CopyFailed, InternalError, NotFound, RequestTimeout
from clientgen.testing import FakeCluster, LocalServer

ALL = ("tar", "cat", "sh")
BIG = bytes(range(256)) * 20_000
OLD = 1_000_000_000


def pod() -> Any:
    spec = {"containers": [{"name": "app", "image": "i"}, {"name": "side", "image": "i"}]}
    return Pod(metadata={"name": "web-0", "namespace": "shop"}, spec=spec)


class Setup:
    """A container and a folder of this machine, and what copies between them."""

    def __init__(
        self, connect: Callable[[], AsyncClientset], container: RealContainer, here: Path
    ) -> None:
        self.connect = connect
        self.container = container
        self.there = container.root
        self.here = here

    async def copy_to(self, source: Any, target: Any, pod: str = "web-0", **options: Any) -> Any:
        options = {"container": "app", **options}
        async with self.connect() as k:
            return await k.core_v1.pods("shop").copy_to(pod, source, target, **options)

    async def copy_from(self, source: Any, target: Any, pod: str = "web-0", **options: Any) -> Any:
        options = {"container": "app", **options}
        async with self.connect() as k:
            return await k.core_v1.pods("shop").copy_from(pod, source, target, **options)


KINDS = {
    "GNU tar, in process": (),
    "GNU tar, over HTTP": (),
    **({"busybox, over HTTP": (BUSYBOX,)} if BUSYBOX else {}),
}


@pytest.fixture(params=KINDS)
def s(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Setup]:
    (there := tmp_path / "there").mkdir()
    (here := tmp_path / "here").mkdir()
    container = RealContainer(there, ALL, KINDS[request.param])
    cluster = FakeCluster(pod())
    cluster.container("shop/web-0", "app").on_exec(container)
    if request.param.endswith("in process"):
        yield Setup(lambda: cluster.clientset(AsyncClientset), container, here)
        return
    with LocalServer(cluster) as server:
        config = ClusterConfig(server.url)
        yield Setup(lambda: AsyncClientset(AsyncRest(config)), container, here)


def fill(folder: Path) -> None:
    """A tree with what trees have."""
    (folder / "empty").mkdir(parents=True)
    deep = folder / ("d" * 60) / ("e" * 60)
    deep.mkdir(parents=True)
    (deep / ("f" * 90)).write_bytes(b"deep")
    (folder / "big").write_bytes(BIG)
    (folder / "none").write_bytes(b"")
    (folder / "ünï côdé\nname").write_text("x")
    (folder / os.fsdecode(b"\xff\xfe")).write_text("not UTF-8")
    (folder / "run").write_text("#!")
    (folder / "run").chmod(0o755)
    (folder / "secret").write_text("s")
    (folder / "secret").chmod(0o600)
    (folder / "link").symlink_to("big")
    (deep / "up").symlink_to("../../run")
    (folder / "hard").hardlink_to(folder / "run")
    os.utime(folder / "run", (OLD, OLD))


def tree(folder: Path) -> dict[str, Any]:
    """What a tree has: contents, permissions and times."""
    found: dict[str, Any] = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = f"-> {path.readlink()}"
        elif path.is_dir():
            found[name] = "directory"
        else:
            status = path.stat()
            found[name] = (path.read_bytes(), status.st_mode & 0o777, int(status.st_mtime))
    return found


async def test_a_tree_into_a_container(s: Setup) -> None:
    fill(s.here / "dist")

    copied = await s.copy_to(s.here / "dist", "/srv/www")

    assert tree(s.there / "srv/www") == tree(s.here / "dist")
    assert copied.files == 8
    assert copied.size == len(BIG) + 4 + 1 + 9 + 2 + 2 + 1
    assert copied.skipped == ()


async def test_a_tree_from_a_container(s: Setup) -> None:
    fill(s.there / "srv/www")

    copied = await s.copy_from("/srv/www", s.here / "a/b")

    assert tree(s.here / "a/b") == tree(s.there / "srv/www")
    assert copied.size >= len(BIG) + 4 + 1 + 9 + 2 + 1
    assert copied.skipped == ()


async def test_a_copy_into_what_exists_replaces_files_only(s: Setup) -> None:
    for folder in (s.here / "dist", s.there / "www"):
        folder.mkdir()
        (folder / "a").write_text(f"of {folder.name}")
    (s.there / "www/other").write_text("stays")

    await s.copy_to(s.here / "dist", "/www")
    assert (s.there / "www/a").read_text() == "of dist"
    await s.copy_from("/www", str(s.here / "dist"))

    assert (s.there / "www/other").read_text() == "stays"
    assert (s.here / "dist/other").read_text() == "stays"


async def test_single_files(s: Setup) -> None:
    (s.here / "a").write_text("mine")

    await s.copy_to(s.here / "a", "/x/y/b")
    await s.copy_to(str(s.here / "a"), "/x/")
    await s.copy_to(s.here / "a", "-odd -name")
    await s.copy_from("/x/y/b", s.here / "c")
    await s.copy_from("-odd -name", f"{s.here}/d/")

    assert (s.there / "x/y/b").read_text() == "mine"
    assert (s.there / "x/a").read_text() == "mine"
    assert (s.here / "c").read_text() == "mine"
    assert (s.here / "d/-odd -name").read_text() == "mine"


async def test_a_target_that_is_a_link_to_a_folder_stays_one(s: Setup) -> None:
    (s.there / "real").mkdir()
    (s.there / "link").symlink_to("real")
    (s.here / "dist").mkdir()
    (s.here / "dist/a").write_text("x")

    await s.copy_to(s.here / "dist", "/link")

    assert (s.there / "link").is_symlink()
    assert (s.there / "real/a").read_text() == "x"


async def test_an_empty_folder(s: Setup) -> None:
    (s.here / "empty").mkdir()

    await s.copy_to(s.here / "empty", "/new")
    await s.copy_from("/new", s.here / "back")

    assert (s.there / "new").is_dir()
    assert (s.here / "back").is_dir()


async def test_progress_and_limits(s: Setup) -> None:
    (s.here / "big").write_bytes(BIG)
    sent: list[int] = []
    read: list[int] = []

    await s.copy_to(s.here / "big", "/big", on_progress=sent.append)
    await s.copy_from("/big", s.here / "2", on_progress=read.append)

    for steps in (sent, read):
        assert steps[-1] == len(BIG)
        assert len(steps) > 5
        assert steps == sorted(steps)
    with pytest.raises(CopyFailed, match="files are larger than limit=1000000 bytes"):
        await s.copy_to(s.here / "big", "/b2", limit=1_000_000)
    with pytest.raises(CopyFailed, match="files are larger than limit=1000000 bytes"):
        await s.copy_from("/big", s.here / "3", limit=1_000_000)
    assert sorted(path.name for path in s.here.iterdir()) == ["2", "big"]


async def test_a_folder_that_becomes_a_link_meanwhile_leads_nowhere(s: Setup) -> None:
    """Another program of this machine may change the target while it is written."""
    (outside := s.here / "outside").mkdir()
    (s.there / "www/d").mkdir(parents=True)
    for number in range(20):
        (s.there / f"www/d/{number}").write_bytes(bytes(100_000))

    def swap(_: int) -> None:
        folder = s.here / "back/d"
        if not folder.is_symlink():
            folder.rename(s.here / "moved")
            folder.symlink_to(outside)

    with suppress(CopyFailed):
        await s.copy_from("/www", s.here / "back", on_progress=swap)
    assert (s.here / "moved").is_dir()
    assert list(outside.iterdir()) == []


async def test_a_source_that_becomes_a_link_meanwhile_leads_nowhere(s: Setup) -> None:
    """Another program of this machine may change the source while the container reads."""
    (outside := s.here / "outside").mkdir()
    for folder in ("a", "b"):
        (outside / folder).write_text("of another user")
        (s.here / "dist" / folder).mkdir(parents=True)
        (s.here / "dist" / folder / "z").write_text("mine")
    (outside / "z").write_text("of another user")
    (s.here / "dist/a/big").write_bytes(BIG)

    def swap(name: str) -> None:
        folder = s.here / "dist" / name
        if not folder.is_symlink():
            folder.rename(s.here / f"moved {name}")
            folder.symlink_to(outside)

    copied = await s.copy_to(s.here / "dist", "/www", on_progress=lambda _: swap("a"))
    assert (s.there / "www/a/z").read_text() == "mine"
    assert copied.files == 3

    (s.here / "dist/a").unlink()
    (s.here / "moved a").rename(s.here / "dist/a")
    with pytest.raises(CopyFailed, match="dist/b' was replaced by another file while it was read"):
        await s.copy_to(s.here / "dist", "/www 2", on_progress=lambda _: swap("b"))
    assert not (s.there / "www 2/b").exists()


@pytest.mark.parametrize("kind", ["fifo", "link"])
async def test_a_source_that_is_no_file_any_more_is_not_read(s: Setup, kind: str) -> None:
    (s.here / "a").write_text("x")
    (s.here / "private").write_text("of another user")
    s.container.programs = ("cat", "sh")

    class Swapping(RealContainer):
        def __call__(self, process: Any) -> int:
            if process.command[0] == "tar":
                new = s.here / "new"
                if kind == "fifo":
                    os.mkfifo(new)
                else:
                    new.symlink_to("private")
                new.replace(s.here / "a")
            return super().__call__(process)

    s.container.__class__ = Swapping
    with pytest.raises(CopyFailed, match="here/a' was replaced by another file while it was read"):
        await s.copy_to(s.here / "a", "/a", timeout=10)
    assert not (s.there / "a").exists() or (s.there / "a").read_bytes() == b""


async def test_what_does_not_exist(s: Setup) -> None:
    with pytest.raises(CopyFailed, match=r"tar ended with exit code \d: .*[Nn]o such file"):
        await s.copy_from("/nothing", s.here / "x")
    with pytest.raises(FileNotFoundError, match="nothing"):
        await s.copy_to(s.here / "nothing", "/x")
    with pytest.raises(NotFound):
        await s.copy_from("/x", s.here / "x", pod="other")
    assert list(s.here.iterdir()) == []


async def test_a_link_is_not_followed(s: Setup) -> None:
    (s.there / "link").symlink_to("/etc/hosts")

    with pytest.raises(CopyFailed, match="is a link; copy its target instead: /etc/hosts"):
        await s.copy_from("/link", s.here / "x")

    assert list(s.here.iterdir()) == []


async def test_a_folder_where_the_file_is_to_be(s: Setup) -> None:
    (s.there / "a").write_text("x")
    (s.here / "x").mkdir()

    with pytest.raises(CopyFailed, match="is a directory; end it with a slash, or name a file"):
        await s.copy_from("/a", s.here / "x")

    assert list((s.here / "x").iterdir()) == []
    assert [path.name for path in s.here.iterdir()] == ["x"]


def special(folder: Path) -> dict[str, Path]:
    """What no copy may replace, by what messages call it."""
    folder.mkdir()
    found = {"a FIFO": folder / "fifo", "a socket": folder / "socket"}
    os.mkfifo(found["a FIFO"])
    with socket.socket(socket.AF_UNIX) as bound, chdir(folder):  # its name may not be long
        bound.bind("socket")
    with suppress(PermissionError):  # only root may
        os.mknod(folder / "full", 0o666 | stat.S_IFCHR, os.makedev(1, 7))
        found["a device"] = folder / "full"
    return found


@pytest.mark.parametrize("programs", [ALL, ("cat", "sh")])
async def test_devices_fifos_and_sockets_are_not_replaced(
    s: Setup, programs: tuple[str, ...]
) -> None:
    s.container.programs = programs
    (s.there / "a").write_text("x")
    for kind, path in special(s.here / "special").items():
        before = path.lstat()
        (link := s.here / path.name).symlink_to(path)
        for target in (path, link):
            words = f"{target}' is {kind}; choose another target$"
            with pytest.raises(CopyFailed, match=f"/exec: the local path '{words}"):
                await s.copy_from("/a", target)
        with pytest.raises(CopyFailed, match=r"special/\w+' is not a directory"):
            await s.copy_from("/a", f"{path}/")
        assert os.path.samestat(path.lstat(), before)


async def test_a_pipe_without_a_path_is_not_replaced(s: Setup) -> None:
    """As /dev/stdout is."""
    (s.there / "a").write_text("x")
    reading, writing = os.pipe()
    (s.here / "out").symlink_to(f"/dev/fd/{writing}")
    try:
        with pytest.raises(CopyFailed, match="/out' is a FIFO"):
            await s.copy_from("/a", s.here / "out")
    finally:
        os.close(reading)
        os.close(writing)


async def test_devices_fifos_and_sockets_within_a_tree_are_not_replaced(s: Setup) -> None:
    there = {name: s.there / f"www/{name}" for name in ("fifo", "socket", "full")}
    for make_link in (False, True):
        for kind, path in special(s.here / f"back{make_link}").items():
            before = path.lstat()
            (s.there / "www").mkdir(exist_ok=True)
            (s.there / "www/a").write_text("x")
            if make_link:
                there[path.name].symlink_to("a")
            else:
                there[path.name].write_text("x")
            words = f"/back{make_link}/{path.name}' is {kind}; choose"
            with pytest.raises(CopyFailed, match=words):
                await s.copy_from("/www", s.here / f"back{make_link}")
            assert os.path.samestat(path.lstat(), before)
            there[path.name].unlink()
        assert not [*s.here.rglob(".clientgen-*")]


async def test_a_link_that_the_user_names_is_followed(s: Setup) -> None:
    """As `cp` and `kubectl cp` do. Links within the tree are replaced."""
    (s.there / "www").mkdir()
    (s.there / "www/a").write_text("new")
    (s.here / "real").mkdir()
    for name in ("a", "b"):
        (s.here / name).write_text("old")
    (s.here / "real/a").symlink_to("../b")
    (s.here / "folder").symlink_to("real")
    (s.here / "file").symlink_to("a")
    (s.here / "nowhere").symlink_to("made")

    await s.copy_from("/www", s.here / "folder")
    await s.copy_from("/www/a", s.here / "file")
    await s.copy_from("/www/a", s.here / "nowhere")

    assert all(s.here.joinpath(name).is_symlink() for name in ("folder", "file", "nowhere"))
    assert not (s.here / "real/a").is_symlink()
    assert {p: (s.here / p).read_text() for p in ("real/a", "a", "made", "b")} == {
        "real/a": "new",
        "a": "new",
        "made": "new",
        "b": "old",
    }
    (s.here / "loop").symlink_to("loop")
    with pytest.raises(CopyFailed, match=r"/loop' cannot be written: .*links"):
        await s.copy_from("/www/a", s.here / "loop")


@pytest.mark.parametrize("programs", [ALL, ("cat", "sh")])
async def test_places_that_cannot_be_written(s: Setup, programs: tuple[str, ...]) -> None:
    s.container.programs = programs
    (s.there / "a").write_text("x")
    (s.here / "file").write_text("stays")
    (closed := s.here / "closed").mkdir(0o500)
    long = s.here / ("x" * 300)
    places = [(long, long, "File name too long"), (long / "y", long / "y", "File name too long")]
    if sys.platform == "linux":
        proc = Path("/proc/x")
        places += [(proc, proc, "No such file"), (proc / "y", proc, "No such file")]
    if os.geteuid():
        here = closed / "x"
        places += [(here, here, "Permission denied"), (here / "y", here, "Permission denied")]
    for place, shown, because in places:
        words = f"/exec: the local file '{shown}' cannot be written: {because}"
        with pytest.raises(CopyFailed, match=words) as caught:
            await s.copy_from("/a", place)
        assert isinstance(caught.value.__cause__, OSError)
    with pytest.raises(CopyFailed, match="/file' is not a directory"):
        await s.copy_from("/a", s.here / "file/x")
    assert (s.here / "file").read_text() == "stays"


async def test_files_that_are_none_are_skipped(s: Setup) -> None:
    for folder in (s.here / "dist", s.there / "www"):
        folder.mkdir()
        os.mkfifo(folder / "fifo")
        (folder / "out").symlink_to("/etc")
        (folder / "a").write_text("x")

    sent = await s.copy_to(s.here / "dist", "/x")
    read = await s.copy_from("/www", s.here / "y")

    assert sent.skipped == (str(s.here / "dist/fifo"),)
    assert sorted(read.skipped) == ["./www/fifo", "./www/out"]
    assert sorted(path.name for path in (s.here / "y").iterdir()) == ["a"]


async def test_without_tar_single_files_are_copied_by_the_shell(s: Setup) -> None:
    s.container.programs = ("cat", "sh")
    (s.here / "a").write_bytes(BIG)
    (s.here / "a").chmod(0o750)

    sent = await s.copy_to(s.here / "a", "/new dir/a")
    read = await s.copy_from("/new dir/a", s.here / "b")

    assert sent == read
    assert read.size == len(BIG)
    assert (s.there / "new dir/a").stat().st_mode & 0o777 == 0o750
    assert (s.here / "b").read_bytes() == BIG
    for folder in (s.here / "dist", s.there / "www"):
        folder.mkdir()
        (folder / "a").write_text("x")
    with pytest.raises(CopyFailed, match="the container has no tar, so directories"):
        await s.copy_to(s.here / "dist", "/x")
    because = r"/exec: the container has no tar, and cat ended with exit code 1: "
    with pytest.raises(CopyFailed, match=because + ".*directory"):
        await s.copy_from("/www", s.here / "y")
    with pytest.raises(CopyFailed, match=because):
        await s.copy_from("/nothing", s.here / "y")
    assert sorted(path.name for path in s.here.iterdir()) == ["a", "b", "dist"]


async def test_without_any_program_that_is_told(s: Setup) -> None:
    s.container.programs = ()
    (s.here / "a").write_text("x")

    with pytest.raises(CopyFailed, match=r"/exec: the container has neither tar nor sh$"):
        await s.copy_to(s.here / "a", "/a")
    with pytest.raises(CopyFailed, match=r"/exec: the container has neither tar nor cat$"):
        await s.copy_from("/a", s.here / "b")


async def test_a_command_that_fails_otherwise(s: Setup) -> None:
    def broken(process: Any) -> int:
        raise OSError("the node burns")

    s.container.__class__ = type("Broken", (RealContainer,), {"__call__": lambda _, p: broken(p)})
    with pytest.raises(InternalError, match="the node burns"):
        await s.copy_from("/a", s.here / "b")


async def test_the_timeout_is_for_the_whole_copy(s: Setup) -> None:
    def wait(process: Any) -> int:
        process.wait_for_size()  # which never comes
        return 0

    s.container.__class__ = type("Slow", (RealContainer,), {"__call__": lambda _, p: wait(p)})
    with pytest.raises(RequestTimeout, match="the command did not end before the timeout"):
        await s.copy_from("/a", s.here / "b", timeout=0.5)
    with pytest.raises(RequestTimeout, match="the command did not end before the timeout"):
        await s.copy_to(__file__, "/b", timeout=0.5)


async def test_a_node_that_never_tells_the_end_of_tar(
    s: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clientgen.runtime._async.copying._HANG_CHECK_SECONDS", 0.2)

    def give_up(process: Any) -> int:
        process.stderr.write(b"tar: /: Read-only file system")
        process.wait_for_size()  # which never comes
        return 0

    s.container.__class__ = type("Hung", (RealContainer,), {"__call__": lambda _, p: give_up(p)})
    because = "tar stopped reading, and did not end: tar: /: Read-only file system"
    with pytest.raises(CopyFailed, match=because):
        await s.copy_to(__file__, "/b")
    monkeypatch.setattr("clientgen.runtime._async.copying._HANG_CHECK_SECONDS", 60)
    for seconds in (0.5, 5.0, 50.0):  # a busy machine is slow
        with pytest.raises(RequestTimeout, match="before the timeout") as caught:
            await s.copy_to(__file__, "/b", timeout=seconds)
        if str(caught.value).endswith("before the timeout: tar: /: Read-only file system"):
            return
    pytest.fail(str(caught.value))


@pytest.mark.parametrize(
    ("source", "target", "error", "words"),
    [
        ("", "/x", ValueError, "source='' is not a local path"),
        (7, "/x", TypeError, "source must be a local path, not an int"),
        ("a\0b", "/x", ValueError, "is not a local path"),
        (".", "", ValueError, "target='' is not a path in the container"),
        (".", Path("/x"), TypeError, "target must be a path in the container"),
        (__file__, ".", ValueError, "target='.' is a directory; add"),
        (__file__, "/..", ValueError, "is a directory; add"),
    ],
)
async def test_arguments_of_copy_to(
    s: Setup, source: Any, target: Any, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        await s.copy_to(source, target)
    assert s.container.commands == []


async def test_arguments_of_copy_from(s: Setup) -> None:
    with pytest.raises(ValueError, match="source='' is not a path in the container"):
        await s.copy_from("", s.here)
    with pytest.raises(TypeError, match="source must be a path in the container"):
        await s.copy_from(Path("/x"), s.here)
    with pytest.raises(ValueError, match="target='' is not a local path"):
        await s.copy_from("/x", "")
    with pytest.raises(TypeError, match="unexpected option 'retries'; the options are container"):
        await s.copy_from("/x", s.here, retries=3)
    with pytest.raises(TypeError, match="limit must be a number of bytes, not a str"):
        await s.copy_from("/x", s.here, limit="1M")
    with pytest.raises(ValueError, match="name"):
        await s.copy_from("/x", s.here, pod="")
    assert s.container.commands == []
