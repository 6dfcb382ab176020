"""Tables look as `kubectl get` prints them."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from clientgen.runtime._models.table_text import table_text


@dataclass
class Column:
    name: str
    priority: int = 0


@dataclass
class Row:
    cells: list[Any]
    namespace: str = ""
    object: Any = field(init=False)

    def __post_init__(self) -> None:
        self.object = SimpleNamespace(metadata=SimpleNamespace(namespace=self.namespace))


COLUMNS = [Column("Name"), Column("Ready"), Column("Age"), Column("IP", 1)]
ROWS = [
    Row(["web-0", "1/1", "5m", "10.0.0.1"], "shop"),
    Row(["a-much-longer-name", "0/1", "12d", None], "shop"),
]


def test_columns_are_as_wide_as_kubectl_makes_them():
    assert table_text(COLUMNS, ROWS) == (
        "NAME                 READY   AGE\n"
        "web-0                1/1     5m\n"
        "a-much-longer-name   0/1     12d\n"
    )
    assert table_text(COLUMNS[:2], [Row(["a", "b"])]) == "NAME   READY\na      b\n"
    assert table_text([Column("A"), Column("B")], [Row(["a", "b"])]) == "A     B\na     b\n"


def test_wide_tables_have_all_columns_and_what_is_absent_is_blank():
    assert table_text(COLUMNS, ROWS, wide=True) == (
        "NAME                 READY   AGE   IP\n"
        "web-0                1/1     5m    10.0.0.1\n"
        "a-much-longer-name   0/1     12d   \n"
    )


def test_headers_may_be_left_out_and_an_empty_table_has_none():
    assert table_text(COLUMNS, ROWS[:1], headers=False) == "web-0   1/1   5m\n"
    assert table_text(COLUMNS, []) == ""


def test_the_namespace_is_printed_if_there_are_several_or_somebody_wants_it():
    other = Row(["web-0", "1/1", "5m", ""], "default")
    assert table_text(COLUMNS, [ROWS[0], other]) == (
        "NAMESPACE   NAME    READY   AGE\n"
        "shop        web-0   1/1     5m\n"
        "default     web-0   1/1     5m\n"
    )
    assert table_text(COLUMNS, ROWS[:1], namespaces=True).startswith("NAMESPACE   NAME ")
    assert table_text(COLUMNS, [ROWS[0], other], namespaces=False).startswith("NAME ")


@pytest.mark.parametrize(
    ("cell", "printed"),
    [
        ("", ""),
        (None, ""),
        (3, "3"),
        (1.5, "1.5"),
        (True, "true"),
        (["a", 1], '["a", 1]'),
        ("one\ntwo", "one..."),
        ("one\r\ntwo", "one..."),
        ("one\n", "one..."),
        ("\n", "..."),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\tb\x00\x9b", "a\\tb\\x00\\x9b"),
        ("\u202egnp", "\\u202egnp"),
        ("é 😀", "é 😀"),
    ],
)
def test_a_cell_is_one_line_that_does_nothing_to_a_terminal(cell, printed):
    assert table_text([Column("A")], [Row([cell])]) == f"A\n{printed}\n"


def test_a_table_may_have_more_or_fewer_cells_than_columns():
    rows = [Row(["a", "b", "c", "d", "e", "f"]), Row(["a"]), Row([])]
    assert table_text(COLUMNS, rows) == ("NAME   READY   AGE\na      b       c\na\n\n")
    assert table_text([], rows[:1]) == "\n\n"


def test_an_object_that_is_missing_has_no_namespace():
    row = Row(["a", "b", "c"])
    row.object = None
    assert table_text(COLUMNS, [row], namespaces=True).splitlines()[1].startswith("            a ")
