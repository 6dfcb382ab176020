"""What the pages say holds: links lead somewhere, commands and configurations are read."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from clientgen.cli.program import program
from clientgen.generator.config_tables import CONTENT_KEYS

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/*/README.md")])
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
CITATION = re.compile(
    r"(docs/internals/[\w-]+\.md), (\d+(?:\.\d+)?)((?:(?:, | and )\d+(?:\.\d+)?)*)"
)
LINK = re.compile(r"\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)")


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_links_lead_to_files_and_headings(page: Path):
    for path, anchor in LINK.findall(FENCE.sub("", page.read_text())):
        there = (page.parent / path).resolve() if path else page
        assert there.exists(), path
        assert not anchor or anchor in anchors(there), f"{path}#{anchor}"


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_lists_and_code_in_lists_are_read_in_the_same_way_everywhere(page: Path):
    """Some readers of Markdown, the one of the site among them, ask for four spaces."""
    text = FENCE.sub("", page.read_text())
    assert re.findall(r"^ {1,3}(?:[-*] |```).*", text, re.MULTILINE) == []


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_commands_have_the_flags_that_are_shown(page: Path):
    for line in commands(page.read_text()):
        command, rest = found(arguments(line))
        known = {flag for param in command.params for flag in (*param.opts, *param.secondary_opts)}
        flags = {word.partition("=")[0] for word in rest if word.startswith("-")}
        assert flags <= known | {"--help", "-h"}, line


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_configurations_have_keys_that_exist(page: Path):
    for text in blocks(page.read_text(), "toml"):
        config = tomllib.loads(text)
        config = config.get("tool", {}).get("clientgen", config)
        assert set(config) <= {"package", "packages", *CONTENT_KEYS}, text


def test_every_page_of_the_docs_is_linked_by_the_readme_or_a_page_beside_it():
    linked = {
        (page.parent / path).resolve()
        for page in PAGES
        for path, _ in LINK.findall(page.read_text())
        if path
    }
    assert set(ROOT.glob("docs/**/*.md")) <= linked


def test_readers_find_every_page_from_the_index_of_its_folder():
    indexes = [
        *ROOT.glob("docs/*/index.md"),
        *ROOT.glob("docs/*/README.md"),
        ROOT / "docs/README.md",
    ]
    assert len(indexes) > 5
    for index in indexes:
        listed = {(index.parent / path).resolve() for path, _ in LINK.findall(index.read_text())}
        assert {*index.parent.glob("*.md")} - {index} <= listed, index
    assert "docs/README.md" in {path for path, _ in LINK.findall((ROOT / "README.md").read_text())}


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 150


def test_one_page_says_how_to_install_what_is_not_published():
    told = [
        page for page in ROOT.glob("docs/**/*.md") if "pip install 'clientgen[" in page.read_text()
    ]
    assert told == [ROOT / "docs/guides/installing.md"]


def test_architecture_names_modules_that_exist():
    """A stage, a decision or a change is looked up there; a module that has moved misleads."""
    text = FENCE.sub("", (ROOT / "ARCHITECTURE.md").read_text())
    tables = "\n".join(line for line in text.splitlines() if line.startswith("|"))
    paths = set(re.findall(r"`([\w./]+(?:\.py|/))`", tables))
    assert len(paths) > 50
    folders = (ROOT, ROOT / "clientgen", ROOT / "clientgen/generator", ROOT / "clientgen/runtime")
    assert not {path for path in paths if not any((each / path).exists() for each in folders)}


def test_every_citation_leads_to_a_section():
    """Code cites facts as `docs/internals/kubernetes-semantics.md, 1.4 and 1.5`."""
    cited: set[tuple[str, str]] = set()
    for file in ROOT.glob("clientgen/**/*.py"):
        text = re.sub(r"\s*\n\s*(?:# )?", " ", file.read_text())
        for page, first, more in CITATION.findall(text):
            cited |= {(page, number) for number in re.findall(r"\d+(?:\.\d+)?", first + more)}
        assert text.count("docs/internals/") == len(CITATION.findall(text)), file
        assert "fact sheet" not in text.lower(), file
    assert len(cited) > 10
    missing = {(page, number) for page, number in cited if number not in sections(ROOT / page)}
    assert not missing


def sections(page: Path) -> set[str]:
    """The numbers of a page's headings."""
    return set(re.findall(r"^#+ (\d+(?:\.\d+)?)\.? ", page.read_text(), re.MULTILINE))


def test_every_flag_is_explained_on_some_page():
    text = "\n".join(page.read_text() for page in PAGES if page != COMMANDS)
    missing = {
        f"{name} {flag}"
        for name, command in every_command()
        for param in command.params
        for flag in param.opts
        if flag.startswith("--") and not re.search(rf"{flag}(?![\w-])", text)
    }
    # `--namespaced` is what there is without `--cluster-scoped`; the others explain themselves.
    assert {flag for flag in missing if flag.split()[-1] not in EVIDENT} == set()


COMMANDS = ROOT / "docs/reference/cli.md"  # scripts/cli-page writes it from the same texts
EVIDENT = {"--quiet", "--namespaced"}


def anchors(page: Path) -> set[str]:
    """The anchors of headings, as hosts of repositories make them."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", page.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in headings}


def blocks(text: str, language: str) -> list[str]:
    return [body for name, body in FENCE.findall(text) if name == language]


def commands(text: str) -> Iterator[str]:
    """Lines of shell blocks and code spans that begin with `clientgen`."""
    for name, body in FENCE.findall(text):
        if name in {"", "sh", "console"}:
            joined = body.replace("\\\n", " ")
            lines = (line.removeprefix("$ ") for line in joined.splitlines())
            yield from (line for line in lines if line.startswith("clientgen "))
    for span in re.findall(r"`(clientgen [^`]+)`", FENCE.sub("", text)):
        yield span.replace("\n", " ")


def arguments(line: str) -> list[str]:
    return [word for word in shlex.split(line, comments=True)[1:] if word not in {"...", "|"}]


def found(words: list[str]) -> tuple[click.Command, list[str]]:
    """The command that the first words name, and the words after them."""
    command: click.Command = program
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        name, *words = words
        inner = command.get_command(click.Context(command), name)
        assert inner is not None, f"there is no command {name}"
        command = inner
    return command, words


def every_command() -> Iterator[tuple[str, click.Command]]:
    for name in program.list_commands(click.Context(program)):
        command, _ = found([name])
        yield name, command
        if isinstance(command, click.Group):
            yield from ((f"{name} {inner}", each) for inner, each in command.commands.items())


@pytest.mark.parametrize(
    "page", sorted((ROOT / "docs/guides").glob("*.md")), ids=lambda page: page.stem
)
def test_a_guide_says_what_its_reader_needs(page: Path):
    lines = page.read_text("utf-8").splitlines()
    needs = [number for number, line in enumerate(lines) if line.startswith("**You need** ")]
    if page.stem not in ("index", "installing", "behaviour"):
        assert len(needs) == 1
        assert needs[0] < 20
