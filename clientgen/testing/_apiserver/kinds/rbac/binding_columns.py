"""The columns of role bindings."""

from __future__ import annotations

from typing import Any, Final

from ...tables.columns import AGE, NAME, Column, View


def _subjects(kind: str, name: str) -> Column:
    def cell(view: View) -> str:
        subjects = [each for each in view.items("subjects") if each.get("kind") == kind]
        return ", ".join(map(_subject, subjects))

    return Column(name, "Who has the role.", cell, priority=1)


def _subject(subject: dict[str, Any]) -> str:
    name = str(subject.get("name", ""))
    return f"{subject.get('namespace', '')}/{name}" if subject["kind"] == "ServiceAccount" else name


BINDING_COLUMNS: Final = (
    NAME,
    Column(
        "Role",
        "The role that is given.",
        lambda view: f"{view.text('roleRef', 'kind')}/{view.text('roleRef', 'name')}",
        doc="roleRef",
    ),
    AGE,
    _subjects("User", "Users"),
    _subjects("Group", "Groups"),
    _subjects("ServiceAccount", "ServiceAccounts"),
)
