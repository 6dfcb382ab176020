"""The pages of `clientgen docs`: their contents, their links, and what hostile texts cannot do."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.golden import GOLDEN, generated
from support.hostile import HOSTILE, hostile_definition
from support.pages import Page, broken_links
from support.run_folders import RunFolders

from clientgen.cli.reference import opened
from clientgen.generator.configuration import Flags
from clientgen.generator.ir import PythonClass
from clientgen.reference.package_reader import Api
from clientgen.reference.records import Type
from clientgen.reference.site.file_names import Paths, anchors
from clientgen.reference.site.html import Html, element, inline, prose
from clientgen.reference.site.page import INDEX
from clientgen.reference.site.site_builder import build
from clientgen.reference.sources import installed

ROOT = Path(__file__).resolve().parents[2]
CRONTABS = ROOT / "tests" / "golden" / "crd-basic" / "crontabs.yaml"
EXPECTED = Path(__file__).with_name("expected")
START = "// clientgen docs\nwindow.clientgenIndex="


def site_of(crd: Path) -> dict[str, bytes]:
    api = opened(Flags(crds=(crd,), package="crons"), with_used=False)
    return build(api, api.packages[0])


def pages_of(files: dict[str, bytes]) -> dict[str, Page]:
    return {path: Page(data.decode()) for path, data in files.items() if path.endswith(".html")}


@pytest.fixture(scope="module")
def crons() -> dict[str, bytes]:
    return site_of(CRONTABS)


@pytest.fixture(scope="module")
def whole(kubeapi: Api) -> dict[str, bytes]:
    return build(kubeapi, kubeapi.packages[0])


def check(files: dict[str, bytes]) -> None:
    """Check what holds for the pages of any package."""
    pages = pages_of(files)
    assert list(broken_links(pages, files)) == []
    for path, page in pages.items():
        ids = page.values("id")
        assert len(ids) == len(set(ids)), path
        assert page.tags.count("h1") == page.tags.count("main") == page.tags.count("title") == 1
        assert ("html", "lang", "en") in page.attributes
        assert not [name for _, name, _ in page.attributes if name.startswith("on")], path
        assert page.tags.count("script") == 1
    titles = ["".join(page.texts[:1]) for page in pages.values()]
    assert all(titles)
    check_index(files, pages)


def check_index(files: dict[str, bytes], pages: dict[str, Page]) -> None:
    """Check that each entry of the search leads to a place that is there."""
    source = files[INDEX].decode()
    assert source.startswith(START)
    assert "<" not in source
    types = json.loads(source.removeprefix(START).rstrip(";\n"))["types"]
    assert types
    for each in types:
        path, _, anchor = each["page"].partition("#")
        ids = set(pages[path].values("id"))
        assert not anchor or anchor in ids
        assert {field[3] for field in each["fields"]} <= ids
        assert {verb[1] for verb in each.get("verbs", ())} <= ids
        assert all(-1 <= field[2] < len(types) for field in each["fields"])


def test_the_pages_of_a_small_package_are_as_expected(crons: dict[str, bytes], update_golden: bool):
    # The others are the same for each package, or the runtime's.
    others = ("assets/", "other/", "errors")
    own = {path: data for path, data in crons.items() if not path.startswith(others)}
    if update_golden:
        shutil.rmtree(EXPECTED, ignore_errors=True)
        for path, data in own.items():
            (EXPECTED / path).parent.mkdir(parents=True, exist_ok=True)
            (EXPECTED / path).write_bytes(data)
    files = (path for path in EXPECTED.rglob("*") if path.is_file())
    assert sorted(own) == sorted(path.relative_to(EXPECTED).as_posix() for path in files)
    for path, data in own.items():
        assert data.decode() == (EXPECTED / path).read_text("utf-8"), path


def test_the_pages_of_a_small_package_hold_together(crons: dict[str, bytes]):
    check(crons)
    page = Page(crons["stable/v1/CronTab.html"].decode())
    for text in (
        "A job that runs on a schedule.",
        "crontabs, crontab, ct",
        'k.stable_v1.cron_tabs("default").get("example")',
        "default: DefaultT | UnsetType = UNSET",
        ") -> CronTab | DefaultT",
        "the seconds the whole call may take, including retries.",
        "fields.stable_v1.CronTab.metadata_name",
        "CronTabLister",
        "class CronTabManifest(TypedDict, total=False):",
    ):
        assert text in page.text, text
    page = Page(crons["stable/v1/CronTabSpec.html"].decode())
    for text in ("cron_spec: str", "[]CronTabSpecEnv", "From 0 to 10.", "Used by\nCronTab"):
        assert text in page.text, text


@pytest.mark.slow
def test_the_pages_of_kubeapi_hold_together(whole: dict[str, bytes], kubeapi: Api):
    check(whole)
    for resource in kubeapi.resources:
        type_ = kubeapi.type(resource.type) if resource.type else None
        assert type_ is not None
        assert type_.name == resource.kind
    assert sum(map(len, whole.values())) < 40e6


def test_types_of_the_user_and_of_used_packages_have_pages(crontabs: Api):
    files = build(crontabs, crontabs.packages[0])

    check(files)
    assert "stable/v1/CronTabSpec.html" in files
    assert "other/kubeapi/core/v1/EnvVar.html" in files
    assert "other/kubeapi/core/v1/PodSpec.html" not in files
    text = Page(files["stable/v1/CronTabSpec.html"].decode()).text
    assert "history: int" in text
    assert "From 0 to 10." in text


def test_views_have_pages_with_what_the_model_says(run_folders: RunFolders):
    case = GOLDEN / "views"
    paths = [generated(case, run_folders), case, ROOT / "generated"]
    api = installed(["views"], paths, "test")
    files = build(api, api.packages[0])

    check(files)
    index = Page(files["house/v1/index.html"].decode()).text
    assert index.index("Views") < index.index("LampLight") < index.index("Types")
    page = Page(files["house/v1/LampLightSpec.html"].decode()).text
    assert "from views.house.v1.views import LampLightSpec" in page
    assert "sizeCM" in page
    assert "size: int" in page
    assert "bulbs: list[LampLightSpecBulbs]" in page
    assert "required" not in page
    assert "metadata: ViewMeta" in Page(files["core/v1/PodKey.html"].decode()).text
    more = Page(files["core/v1/PodPlacementMetadata.html"].decode()).text
    assert "annotations: dict[str, str]" in more


def test_calls_of_the_runtime_and_of_the_user_are_shown(crontabs: Api):
    (home,) = crontabs.packages[0].homes
    (client,) = crontabs.clients_of(home)
    methods = {each.name: each for each in client.methods}
    text = Page(build(crontabs, crontabs.packages[0])["stable/v1/CronTab.html"].decode()).text

    assert methods["wait"].everywhere
    assert methods["wait"].options[-1][0] == "on_progress"
    assert "until: Callable[[CronTab], object]," in text
    assert 'k.stable_v1.cron_tabs("default").wait("example", until=deleted, timeout=60)' in text
    assert methods["pause"].own
    assert "async def pause(name: str, *, paused: bool = True) -> CronTab" in text
    assert ".pause(" not in text


def test_hostile_texts_are_texts(tmp_path: Path):
    crd = tmp_path / "crd.yaml"
    crd.write_text(hostile_definition())
    files = site_of(crd)

    check(files)
    assert all(part not in {"", ".", ".."} for path in files for part in path.split("/"))
    page = Page(files["example/v1/TrapSpec.html"].decode())
    assert not {"img", "b"} & set(page.tags)
    assert "alert(1)" not in "".join(value for _, _, value in page.attributes)
    for text in (HOSTILE[0], HOSTILE[1], "javascript:alert(3) ]]> --> ${x} {{ x }}"):
        assert page.text.count(text) >= 2
    assert not {"\u001b", "\u202e"} & set(page.text)


def test_names_of_pages_differ_by_more_than_case_and_stay_inside():
    def type_of(name: str) -> Type:
        return Type(PythonClass("p.v1.models", name), name, "../p", None, ())

    types = [type_of(name) for name in ("Con", "CON", "con", "../../x", "index", "Wídget")]
    paths = Paths((each, None) for each in types)
    found = [paths.of(each.id) for each in types]

    assert len({path.lower() for path in found}) == len(types)
    assert all(path.startswith("other/_/_/_p/") and path.endswith(".html") for path in found)
    assert not [path for path in found if path.rpartition("/")[2] in {"con.html", "index.html"}]
    assert anchors("f", ["a", "a b", "a/b", "<"]) == {
        "a": "f-a",
        "a b": "f-a_b",
        "a/b": "f-a_b-2",
        "<": "f-_",
    }


@given(st.text(), st.text())
def test_any_text_is_a_text_or_a_value_of_an_attribute(text: str, value: str):
    page = Page(element("span", text, Html("<i>"), value, Html("</i>"), title=value))

    assert page.tags == ["span", "i"]
    assert [name for _, name, _ in page.attributes] == ["title"]
    if (text + value).isprintable():
        assert page.text == text + value
        assert page.values("title") == [value]


@given(st.text())
def test_prose_has_paragraphs_and_code_only(text: str):
    for made in (prose(text), inline(text)):
        page = Page(made)
        assert set(page.tags) <= {"p", "code"}
        assert {name for _, name, _ in page.attributes} <= {"class"}
