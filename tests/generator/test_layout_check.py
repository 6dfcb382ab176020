"""The layout is black's: what is recognized as laid out, black leaves as it is, byte for byte."""

from __future__ import annotations

import ast
import random
import re
import warnings
from pathlib import Path

import black
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.examples import try_examples
from support.golden import all_generated
from support.run_folders import RunFolders
from support.tricks import PIECES, TEXTS

from clientgen.generator.format import LINE_LENGTH, format_tree
from clientgen.generator.layout import attribute, fold, from_import, strings
from clientgen.generator.layout_check import is_laid_out
from clientgen.generator.literals import attribute_docstring, docstring, quoted, said_by

ROOT = Path(__file__).parents[2]
# Golden cases with names and texts that are left to black: wide letters, lines that end in `\`.
# The case of views has the definitions of crd-hard-types, too.
LEFT_TO_BLACK = {"crd-hard-types", "crd-hostile-names", "hostile-texts", "views"}
MODE = black.Mode(target_versions={black.TargetVersion.PY311}, line_length=LINE_LENGTH)


def by_black(source: str) -> str:
    return black.format_str(source, mode=MODE)


def sources(folder: Path) -> dict[str, str]:
    return {str(path): path.read_text("utf-8") for path in sorted(folder.rglob("*.py"))}


# ---- what is generated --------------------------------------------------------------------------


def test_black_need_not_read_the_clients_of_kubernetes() -> None:
    texts_by_path = sources(ROOT / "generated")

    assert len(texts_by_path) > 200
    assert [path for path, text in texts_by_path.items() if not is_laid_out(text)] == []


@pytest.fixture(scope="module")
def golden(run_folders: RunFolders) -> dict[str, dict[str, str]]:
    """The modules of the golden cases' packages, by case and path."""
    cases = all_generated(run_folders).items()
    # A header is put into modules that have their layout already.
    return {case.name: sources(folder) for case, folder in cases if case.name != "header-file"}


def test_black_need_not_read_golden_output(golden: dict[str, dict[str, str]]) -> None:
    left = [
        (case, Path(path).name)
        for case, texts in golden.items()
        for path, text in texts.items()
        if not is_laid_out(text)
    ]

    assert sum(map(len, golden.values())) > 900
    assert {case for case, _ in left} == LEFT_TO_BLACK
    assert {name for _, name in left} <= {"models.py", "manifests.py"}


@pytest.fixture(scope="module")
def recognized(golden: dict[str, dict[str, str]]) -> tuple[str, ...]:
    """Golden modules, small enough to try many changes of them."""
    texts = {text for each in golden.values() for text in each.values() if len(text) < 5000}
    return tuple(sorted(text for text in texts if is_laid_out(text)))


PATCHES = (
    *('"', "'", "\\", "(", ")", "()", "[", "]", ",", ", ", " ", ":", "=", " = ", "|", " | ", "#"),
    *("\t", "é", "漢", "x" * 10, "x" * 40, "\n", "\n\n", "\n    ", "\f", "u", '""', '"""'),
    *("await ", "not ", "*", "**", "...", "0X1F", "1", "pass", "None", "lambda: 0", ";", "'''"),
)


def changed(lines: list[str], chance: random.Random) -> list[str]:
    """Lines with a mistake of layout, of any kind."""
    at, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    line, place = lines[at], chance.randrange(len(lines[at]) + 1)
    words = list(re.finditer(r"[A-Za-z_]\w*", line)) or [re.match("", line)]
    word = chance.choice(words)
    assert word
    longer = word[0] + "x" * chance.choice([1, 2, 3, 5, 10, 20, 40])
    shorter = word[0][: chance.randint(0, len(word[0]))]
    replaced = {
        "left out": [],
        "twice": [line, line],
        "a line before": ["", line],
        "moved right": [f"    {line}"],
        "moved left": [line.removeprefix("    ")],
        "another line before": [lines[other], line],
        "a patch": [line[:place] + chance.choice(PATCHES) + line[place:]],
        "less": [line[:place] + line[place + chance.choice([1, 1, 2, 5]) :]],
        "a longer word": [line[: word.start()] + longer + line[word.end() :]],
        "a shorter word": [line[: word.start()] + shorter + line[word.end() :]],
    }
    if chance.random() < 0.1 and at + 1 < len(lines):
        joined = line + chance.choice(["", " "]) + lines[at + 1].strip()
        return [*lines[:at], joined, *lines[at + 2 :]]
    return [*lines[:at], *replaced[chance.choice(list(replaced))], *lines[at + 1 :]]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_black_leaves_what_is_recognized(seed: int, recognized: tuple[str, ...]) -> None:
    chance = random.Random(seed)
    tried = 0
    for _ in range(800):
        lines = chance.choice(recognized).split("\n")
        for _ in range(chance.choice([1, 1, 1, 2, 3])):
            lines = changed(lines, chance) or [""]
        source = "\n".join(lines)
        if is_laid_out(source) and is_python(source):
            tried += 1
            assert by_black(source) == source

    assert tried > 50


def is_python(source: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(source)
        except (SyntaxError, ValueError):
            return False
    return True


@pytest.mark.parametrize(
    "source",
    [
        'class A:\n    """A."""\n\n\n    x: int\n',
        'class A:\n    """A."""\n    x: int\n',
        'class A:\n    """A. """\n',
        'class A():\n    """A."""\n',
        'class A(B, c = D):\n    """A."""\n',
        'class A:\n  """A."""\n',
        'class A:\n    """A."""\n\n    x: int = field(\n        default=None\n    )\n',
        'class A:\n    """A."""\n\n    x: int = (1)\n',
        "class A:\n    '''A.'''\n",
        'class A:\n    """A."""\n\n    x: B["\\xAB"]\n',
        'class A:\n    """A."""\n\n    x: B[\'c\']\n',
        f'class A:\n    """A."""\n\n    x: B = field(name="{"漢" * 40}")\n',
        f'class A:\n    """A."""\n\n    {"x" * 90}: int = field(default=None)\n',
        'class A:\n    """A."""\n\n    x: (\n        int | str\n    ) = None\n',
        'class A:\n    """A."""\n\n    def x(self) -> int:\n        return 1\n    y: int\n',
    ],
)
def test_code_that_black_would_change_fails_the_layout_check(source: str) -> None:
    assert by_black(source) != source
    assert not is_laid_out(source)
    assert format_tree({"a.py": source}) == {"a.py": by_black(source)}


# ---- texts --------------------------------------------------------------------------------------

texts = st.one_of(
    st.sampled_from(TEXTS),
    st.lists(
        st.one_of(st.sampled_from([*PIECES, "a word ", "\n    "]), st.characters(), st.text())
    ).map("".join),
    st.tuples(
        st.sampled_from(["", '"', "- ", "漢"]),
        st.integers(84, 100).map(lambda length: ("word " * 20)[:length]),
        st.sampled_from(["", '"', '""', "\\", "\\\\\\", ".\n\n  - a\n  - b", " 漢字", '"x"']),
    ).map("".join),
)


@try_examples(500)
@given(texts)
def test_docstrings_are_as_black_writes_them(text: str) -> None:
    for source in (
        docstring(text, 0) + "\n",
        f"class A:\n    {docstring(text, 4)}\n\n    x: int\n    {attribute_docstring(text, 4)}\n",
        f"class A:\n    def x(self) -> int:\n        {docstring(text, 8)}\n        return 1\n",
    ):
        assert by_black(source) == source


@try_examples(300)
@given(texts)
def test_ordinary_docstrings_are_recognized(text: str) -> None:
    assume("\\" not in text)
    assume(not said_by(text).strip().startswith('"'))
    source = (
        f"class A:\n    {docstring(text, 4)}\n\n    x: int\n    {attribute_docstring(text, 4)}\n"
    )

    assert is_laid_out(source)


@try_examples(300)
@given(texts)
def test_literals_are_as_black_writes_them(text: str) -> None:
    source = f"x = [\n    {quoted(text)},\n]\n"

    assert by_black(source) == source


# ---- attributes and calls -----------------------------------------------------------------------

lengths = st.sampled_from([1, 2, 3, 8, 14, 30, 60, 75])
names = lengths.map(lambda length: ("abcdefghij" * 9)[:length])
literals = st.lists(lengths.map(lambda length: quoted("v" * length)), min_size=1, max_size=12).map(
    lambda values: f"Literal[{', '.join(values)}]"
)
types = st.recursive(
    st.one_of(names.map(str.title), literals, literals.map("{} | str".format)),
    lambda inner: st.one_of(
        inner.map("list[{}]".format),
        inner.map("dict[str, {}]".format),
        st.tuples(inner, inner).map(" | ".join),
    ),
    max_leaves=4,
)
arguments = st.lists(
    st.one_of(st.just("default=None"), names.map('name="{}"'.format)), max_size=2, unique=True
)


@try_examples(200)
@given(names, types, arguments)
def test_attributes_are_folded_as_black_folds_them(
    name: str, annotation: str, given_to_field: list[str]
) -> None:
    plain = f"    {name}: {annotation}"
    value = f"field({', '.join(given_to_field)})"
    for each in ("", "None", value):
        source = f'class A:\n    """A."""\n\n{attribute(name, annotation, each)}\n'
        declared = fold(f"{plain} = {each}" if each else plain)
        unfolded = f'class A:\n    """A."""\n\n{declared}\n'

        assert by_black(source) == source
        assert by_black(unfolded) == source
        assert is_laid_out(source) is (max(map(len, source.split("\n"))) <= LINE_LENGTH)


@try_examples(200)
@given(names, st.lists(names, min_size=1, max_size=9, unique=True))
def test_imports_and_heads_of_classes_are_as_black_writes_them(
    name: str, others: list[str]
) -> None:
    head = fold(f"class {name}(Model, sensitive={strings(others)}):")
    source = f'{from_import("." + name, others)}\n\n\n{head}\n    """A."""\n'

    assert by_black(source) == source
