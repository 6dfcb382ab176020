"""`bash scripts/kubernetes-packages`: the package of each Kubernetes release, from one source.

Every release is generated as the package `kubeapi`, into a folder of its own that is ready to
build: build/kubernetes/1.35 has the document, a clientgen.toml, a pyproject.toml, a readme and the
licence. The version is that of the release and the number of our own release of these packages.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from .releases import document_of, releases

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["generate", "prepare", "version_of"]

ROOT: Final = Path(__file__).parents[2]
OUTPUT: Final = ROOT / "build" / "kubernetes"


def main(arguments: Sequence[str]) -> int:
    """Generate the packages of some releases, or of all."""
    parser = argparse.ArgumentParser(
        prog="bash scripts/kubernetes-packages",
        description="Generate the package of each Kubernetes release.",
    )
    parser.add_argument(
        "release", nargs="*", help=f"default: all, which are {', '.join(releases())}"
    )
    parser.add_argument("--output", type=Path, default=OUTPUT, help="default: build/kubernetes")
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.release) - {*releases()})
    if unknown:
        parser.error(f"no document of {', '.join(unknown)}: there are {', '.join(releases())}")
    for release in options.release or releases():
        folder = options.output / release
        generate(folder, release)
        sys.stdout.write(f"{folder}: {_configured()['name']} {version_of(release)}\n")
    return 0


def generate(folder: Path, release: str) -> None:
    """Generate the package of a release.

    Raises:
        CalledProcessError: clientgen has printed why.
    """
    prepare(folder, release)
    config = str(folder / "clientgen.toml")
    command = [sys.executable, "-m", "clientgen", "generate", "--quiet", "--config", config]
    subprocess.run(command, check=True, stdout=sys.stderr)  # noqa: S603


def prepare(folder: Path, release: str) -> None:
    """Write what `clientgen generate` needs for the package of a release."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "swagger.json").write_bytes(document_of(release))
    shutil.copyfile(ROOT / "LICENSE", folder / "LICENSE")
    mine, newest = _configured(), releases()[-1]
    readme = (ROOT / "generated" / mine["readme"]).read_text("utf-8")
    (folder / mine["readme"]).write_text(readme.replace(newest, release), "utf-8")
    description = mine["description"].replace(newest, release)
    texts = ROOT / "specs" / "descriptions"
    (folder / "clientgen.toml").write_text(
        f"""\
# Written by scripts/kubernetes-packages for Kubernetes {release}.
package = "kubeapi"
spec = ["swagger.json"]
output = "."
descriptions = [{json.dumps(str(texts))}]

[distribution]
name = {json.dumps(mine["name"])}
version = {json.dumps(version_of(release))}
description = {json.dumps(description)}
readme = {json.dumps(mine["readme"])}
license = {json.dumps(mine["license"])}
""",
        "utf-8",
    )


def version_of(release: str) -> str:
    """The version of a release's package: all packages have the same last number."""
    return f"{release}.{_configured()['version'].rpartition('.')[2]}"


def _configured() -> dict[str, Any]:
    """The distribution of the package that is committed."""
    distribution: dict[str, Any] = tomllib.loads((ROOT / "clientgen.toml").read_text("utf-8"))[
        "distribution"
    ]
    return distribution


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
