"""Any text becomes one constant of Python, whatever it says."""

from __future__ import annotations

import ast
import inspect

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.examples import try_examples
from support.tricks import PIECES, TEXTS

from clientgen.generator.literals import (
    MARK,
    docstring,
    identifier,
    module_name,
    quoted,
    said_by,
    word,
)
from clientgen.generator.unasync import release, to_sync

texts = st.lists(st.one_of(st.sampled_from(PIECES), st.characters(), st.text(max_size=9))).map(
    "".join
)


def examples(test):
    for text in TEXTS:
        test = example(text)(test)
    return test


@try_examples(400)
@examples
@given(texts)
def test_a_text_becomes_one_constant_of_its_value(text):
    source = quoted(text)

    (statement,) = ast.parse(source).body
    assert isinstance(statement, ast.Expr)
    assert isinstance(statement.value, ast.Constant)
    assert statement.value.value == text
    assert "\n" not in source


@try_examples(400)
@examples
@given(texts)
def test_a_docstring_is_one_constant_of_the_words_of_the_text(text):
    for indent in (0, 4):
        documented_text = documented(docstring(text, indent), indent)

        assert documented_text.split() == (said_by(text).split() or ["…"])


@try_examples(400)
@examples
@given(texts)
def test_derivation_leaves_the_marks_of_others_alone(text):
    """Marks are taken off sources as a whole: no literal holds one."""
    for source in (quoted(text), docstring(text, 0)):
        assert release(source) == source
        assert ast.dump(ast.parse(release(to_sync(source)))).count("Constant(") == 1


@given(texts)
def test_only_names_pass_for_names(text):
    for check in (identifier, module_name, word):
        try:
            checked = check(text)
        except ValueError:
            continue
        assert checked == text
        assert not set(checked) & set("\"'\\\n\r\0 ;()=#")
        assert MARK not in checked


@pytest.mark.parametrize("name", ["", "a b", "a-b", "class", "1a", f"_{MARK}x", "a\n", "a;b", 'a"'])
def test_an_invalid_name_is_an_internal_error(name):
    with pytest.raises(ValueError, match="generated code"):
        identifier(name)


def test_a_docstring_keeps_paragraphs_and_lists():
    text = 'One\ntwo\u2009three.\n\n- a \\ b\n- c """\n'

    assert docstring(text, 4) == ('"""One two three.\n\n    - a \\\\ b\n    - c \\"\\"\\"\n    """')


def documented(source: str, indent: int) -> str:
    """The value of a docstring, where it stands."""
    if indent:
        source = f"class X:\n{' ' * indent}{source}\n"
    tree = ast.parse(source)
    body = tree.body[0].body if indent else tree.body
    (statement,) = body
    assert isinstance(statement.value, ast.Constant)
    value = statement.value.value
    assert isinstance(value, str)
    return inspect.cleandoc(value)
