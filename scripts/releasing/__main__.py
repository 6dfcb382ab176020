"""`bash scripts/release`: makes a release, up to the commands that publish it."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from packaging.version import InvalidVersion, Version

from . import contents, provenance
from .build import build_twice
from .changelog import check_released, is_anything_unreleased, is_released, with_release
from .commands import ReleaseError, run, say
from .contents import metadata_of
from .environments import Environment, pythons

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT: Final = Path(__file__).parents[2]
_VERSION: Final = re.compile(r'^__version__ = "(.*)"$', re.MULTILINE)
_OF_SPECS: Final = ("specs/descriptions/", "specs/kubernetes/")
_GENERATED: Final = (".", "examples/crontab")
"""The folders with generated packages that are committed: they name the version."""
_GOLDEN: Final = "tests/golden/distribution/expected/pyproject.toml"
"""The golden file that names the version."""
_NEEDED: Final = (
    "from clientgen import __version__ as version;"
    "from clientgen.generator.distribution import runtime_requirement as needed;"
    "print(needed(version))"
)


def main(arguments: Sequence[str]) -> int:
    """Make a release, or verify one."""
    options = _options(arguments)
    try:
        with tempfile.TemporaryDirectory(prefix="release-") as name:
            scratch = Path(name)
            if options.verify:
                return _verify(options.verify, scratch)
            if options.of_tag:
                return _of_tag(options.of_tag, scratch)
            return _release(options, scratch)
    except ReleaseError as error:
        sys.stderr.write(f"release: {error}\n")
        return 1


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="bash scripts/release",
        description="Make a release: version, changelog, packages, checks, provenance, tag.",
        epilog="Everything is made in a clone. This checkout changes only if all checks passed.",
    )
    parser.add_argument("version", nargs="?", help="such as 1.2.0; with --dry-run, may be left out")
    parser.add_argument("--dry-run", action="store_true", help="keep nothing")
    parser.add_argument(
        "--quick", action="store_true", help="one Python, and the newest Kubernetes release only"
    )
    parser.add_argument(
        "--verify", type=Path, metavar="FOLDER", help="build the files of a release again, compare"
    )
    parser.add_argument(
        "--of-tag", metavar="TAG", help="build and check the files of a release that has a tag"
    )
    options = parser.parse_args(arguments)
    if not (options.version or options.dry_run or options.verify or options.of_tag):
        parser.error("name the version")
    if options.quick and not options.dry_run:
        parser.error("--quick is for --dry-run")
    return options


def _release(options: argparse.Namespace, scratch: Path) -> int:
    before = _version_of(ROOT)
    version = options.version or _next(before)
    _check_version(version, before)
    changed = run("git", "status", "--short", folder=ROOT)
    if changed and not options.dry_run:
        raise ReleaseError(f"commit or remove what has changed first:\n{changed.rstrip()}")
    if changed:
        say("changes that are not committed are left out of this dry run")
    if (ROOT / "dist" / version).exists() and not options.dry_run:
        raise ReleaseError(f"dist/{version} is there already: remove it first")
    tree = _Tree.clone(scratch / "clientgen")
    if options.dry_run and not is_anything_unreleased(_changelog()):
        say(f"== nothing is unreleased: {before} is built again")
        version = before
    else:
        say(f"== version {version} (it was {before})")
        tree.write_version(version, _identity(needed=not options.dry_run))
    say("== distributions, built twice")
    dist = scratch / "dist"
    tree.build(dist, scratch, tree.releases()[-1 if options.quick else 0 :])
    say("== empty environments")
    _try(dist, tree.folder, scratch, newest_only=options.quick)
    site = None if options.quick else tree.site()
    provenance.write(dist, version, tree.commit, tree.time)
    for path in sorted(dist.iterdir()):
        say(f"{path.stat().st_size:>11,}  {path.name}")
    if options.dry_run:
        say(f"== {version} could be released; nothing was kept")
        return 0
    _keep(tree, dist, version, site)
    return 0


def _of_tag(tag: str, scratch: Path) -> int:
    """Build the files of a commit that has the tag of its version."""
    tree = _Tree.clone(scratch / "clientgen", f"refs/tags/{tag}")
    if tag != f"v{tree.version}":
        raise ReleaseError(f"the version at {tag} is {tree.version}")
    check_released((tree.folder / "CHANGELOG.md").read_text("utf-8"), tree.version)
    dist = ROOT / "dist" / tree.version
    if dist.exists():
        raise ReleaseError(f"{dist} is there already: remove it first")
    tree.build(dist, scratch, tree.releases())
    _try(dist, tree.folder, scratch, newest_only=False)
    provenance.write(dist, tree.version, tree.commit, tree.time)
    say(f"== the files of {tag} are in {dist.relative_to(ROOT)}")
    return 0


def _verify(published: Path, scratch: Path) -> int:
    """Build the commit of a release again, and compare with its files."""
    commit = provenance.commit_of(published)
    tree = _Tree.clone(scratch / "clientgen", commit)
    rebuilt = scratch / "dist"
    tree.build(rebuilt, scratch, tree.releases())
    provenance.write(rebuilt, tree.version, tree.commit, tree.time)
    if different := provenance.differences(published, rebuilt):
        theirs = provenance.tools_of(published) - provenance.tools_of(rebuilt)
        hint = f"\nit was built with {', '.join(sorted(theirs))}" if theirs else ""
        raise ReleaseError(f"{commit} gives other bytes: {', '.join(different)}{hint}")
    say(f"{published} is what {commit} gives")
    return 0


def _version_of(folder: Path) -> str:
    match = _VERSION.search((folder / "clientgen/__init__.py").read_text("utf-8"))
    assert match is not None
    return match[1]


def _next(version: str) -> str:
    """The version itself if it was never released, else the next one."""
    if not (_tagged(version) or is_released(_changelog(), version)):
        return version
    major, minor, patch = Version(version).release
    return f"{major}.{minor}.{patch + 1}"


def _changelog() -> str:
    return (ROOT / "CHANGELOG.md").read_text("utf-8")


def _tagged(version: str) -> bool:
    return bool(run("git", "tag", "--list", f"v{version}", folder=ROOT).strip())


def _check_version(version: str, before: str) -> None:
    try:
        parsed = Version(version)
    except InvalidVersion as error:
        raise ReleaseError(f"{version} is no version: write it like 1.2.0 or 1.2.0rc1") from error
    if str(parsed) != version or len(parsed.release) != len(Version(before).release):
        raise ReleaseError(f"{version} is no version: write it like 1.2.0 or 1.2.0rc1")
    if _tagged(version):
        raise ReleaseError(f"there is a tag v{version} already")
    if parsed < Version(before):
        raise ReleaseError(f"{version} is older than {before}, which is the version here")


def _identity(*, needed: bool) -> list[str]:
    """The options of git that say who commits; a dry run needs nobody."""
    options: list[str] = []
    for key in ("user.name", "user.email"):
        value = run("git", "config", "--default", "", "--get", key, folder=ROOT).strip()
        if needed and not value:
            raise ReleaseError(f"git does not know who commits: git config {key} ...")
        options += ["-c", f"{key}={value or 'release'}"]
    return options


@dataclass(frozen=True)
class _Tree:
    """A clone of this repository in which a release is made."""

    folder: Path

    @classmethod
    def clone(cls, folder: Path, commit: str = "HEAD") -> _Tree:
        found = run("git", "rev-parse", f"{commit}^{{commit}}", folder=ROOT).strip()
        run("git", "clone", "--quiet", "--no-hardlinks", ROOT, folder, folder=ROOT)
        run("git", "checkout", "--quiet", "--detach", found, folder=folder)
        return cls(folder)

    @property
    def version(self) -> str:
        return _version_of(self.folder)

    @property
    def commit(self) -> str:
        return run("git", "rev-parse", "HEAD", folder=self.folder).strip()

    @property
    def time(self) -> int:
        """When the commit was made, in seconds."""
        return int(run("git", "log", "-1", "--format=%ct", folder=self.folder))

    def write_version(self, version: str, identity: Sequence[str]) -> None:
        """Write the version into everything that names it, and commit that."""
        changelog = self.folder / "CHANGELOG.md"
        text = changelog.read_text("utf-8")
        date = datetime.now(UTC).date().isoformat()
        changelog.write_text(with_release(text, version, date), "utf-8")
        module = self.folder / "clientgen/__init__.py"
        old = self.version
        module.write_text(module.read_text("utf-8").replace(f'"{old}"', f'"{version}"'), "utf-8")
        self._regenerate()
        commit = ["commit", "--quiet", "--all", "--message", f"Release {version}"]
        run("git", *identity, *commit, folder=self.folder)

    def _regenerate(self) -> None:
        for folder in _GENERATED:
            self.python("-m", "clientgen", "generate", "--quiet", folder=folder)
        golden = self.folder / _GOLDEN
        needed = self.python("-c", _NEEDED).strip()
        text = re.sub(r'"clientgen>=[^"]*"', f'"{needed}"', golden.read_text("utf-8"))
        golden.write_text(text, "utf-8")

    def build(self, output: Path, scratch: Path, releases: Sequence[str]) -> None:
        """Build clientgen and the packages of Kubernetes releases, and check their contents."""
        licence = (self.folder / "LICENSE").read_bytes()
        export = scratch / "export"
        export.mkdir()
        archive = ["git", "archive", "--output", scratch / "export.tar", "HEAD"]
        run(*archive, folder=self.folder)
        run("tar", "-xf", scratch / "export.tar", "-C", export, folder=scratch)
        files = build_twice(export, output, self.time, scratch / "build" / "clientgen")
        self._tell(contents.check(files, _of_clientgen(self.files(), licence)), files)
        for release in releases:
            project = scratch / "kubernetes" / release
            packages = ["-m", "kubernetes_release.packages", release, "--output", project.parent]
            self.python(*packages)
            for left_out in ("swagger.json", "clientgen.toml"):
                (project / left_out).unlink()
            files = build_twice(project, output, self.time, scratch / "build" / release)
            self._tell(contents.check(files, _of_package(project, licence)), files)

    @staticmethod
    def _tell(metadata: contents.Metadata, files: Sequence[Path]) -> None:
        names = ", ".join(path.name for path in files)
        say(f"{metadata.name} {metadata.version}: {names}")

    def site(self) -> Path | None:
        """Build the site of the documentation; None if there is no script for it."""
        if not (self.folder / "scripts/site").is_file():
            return None
        say("== documentation")
        run("bash", "scripts/site", folder=self.folder)
        return self.folder / "build/site/html"

    def files(self) -> list[str]:
        """The files of the commit."""
        return run("git", "ls-files", folder=self.folder).splitlines()

    def releases(self) -> list[str]:
        """The Kubernetes releases that there are packages of, the newest last."""
        program = "from kubernetes_release.releases import releases; print(*releases())"
        return self.python("-c", program).split()

    def python(self, *arguments: Path | str, folder: str = ".") -> str:
        """Run a program of the clone, and return what it says."""
        paths = [str(self.folder / each) for each in ("", "scripts", "generated")]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
        place = self.folder / folder
        return run(sys.executable, *arguments, folder=place, environment=environment)


def _of_clientgen(files: Sequence[str], licence: bytes) -> contents.Expected:
    """What the distribution of the generator and the runtime contains."""
    modules = [path for path in files if path.startswith("clientgen/")]
    shared = [path for path in files if path.startswith(("templates/", *_OF_SPECS))]
    shared = [path for path in shared if not path.startswith("specs/kubernetes/v3/")]
    wheel = {*modules, *(f"clientgen/{path}" for path in shared)}
    texts = ("ARCHITECTURE.md", "CHANGELOG.md", "README.md")
    return contents.Expected(frozenset(wheel), frozenset((*modules, *shared, *texts)), licence)


def _of_package(project: Path, licence: bytes) -> contents.Expected:
    """What the distribution of a generated package contains."""
    found = (path for path in (project / "kubeapi").rglob("*") if path.is_file())
    modules = {path.relative_to(project).as_posix() for path in found}
    return contents.Expected(frozenset(modules), frozenset({*modules, "README.md"}), licence)


def _try(dist: Path, tree: Path, scratch: Path, *, newest_only: bool) -> None:
    """Install the wheels on every Python that is here, and use them."""
    (wheel,) = dist.glob("clientgen-*.whl")
    packages = sorted(dist.glob("clientgen_kubeapi-*.whl"))
    found = pythons(ROOT)
    here = [f"{sys.version_info.major}.{sys.version_info.minor}"] if newest_only else [*found]
    for version in here:
        environment = Environment(found[version], scratch / f"python-{version}")
        for package in packages:
            environment.install(wheel, package)
            came = environment.try_runtime()
            say(f"Python {version}, {package.name}: {' '.join(came)}")
        if version == here[0] and not newest_only:
            environment.install(*_oldest_of(metadata_of(wheel)))
            say(
                f"Python {version}, the oldest of everything: {' '.join(environment.try_runtime())}"
            )
        environment.try_generator(wheel, tree / "examples/demo.py")
        say(f"Python {version}: the generator, and the demo with what it generates")


def _oldest_of(metadata: contents.Metadata) -> Iterator[str]:
    """Yield the oldest versions of the libraries that the runtime may have."""
    for each in metadata.requires_dist or ():
        if each.marker is None:
            (least,) = (part.version for part in each.specifier if part.operator == ">=")
            yield f"{each.name}=={least}.*"


def _keep(tree: _Tree, dist: Path, version: str, site: Path | None) -> None:
    """Take the commit over, tag it, and print what is left to do."""
    run("git", "fetch", "--quiet", tree.folder, "HEAD", folder=ROOT)
    run("git", "merge", "--quiet", "--ff-only", tree.commit, folder=ROOT)
    run("git", "tag", "--annotate", f"v{version}", "-m", f"clientgen {version}", folder=ROOT)
    kept = ROOT / "dist" / version
    kept.parent.mkdir(exist_ok=True)
    shutil.copytree(dist, kept)
    if site is not None:
        shutil.copytree(site, kept.with_name(f"{version}-site"))
    for line in _last_commands(kept.relative_to(ROOT), version):
        say(line)


def _last_commands(folder: Path, version: str) -> Iterator[str]:
    yield f"== {version} is committed and tagged, and its files are in {folder}. To publish it:"
    yield "git push origin HEAD:main"
    yield f"git push origin v{version}"
    yield f"python -m twine upload {folder}/*.whl {folder}/*.tar.gz"
    yield f"To take it back before that: git tag -d v{version}; git reset --hard HEAD~1"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
