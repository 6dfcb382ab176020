"""The snippets of docs/guides/exploring.md run, and the report on the page is the real one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "guides" / "exploring.md"


@pytest.mark.slow
def test_the_snippets_run_and_the_report_is_right():
    text = PAGE.read_text("utf-8")
    names: dict[str, Any] = {"__name__": "guide"}
    for match in re.finditer(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        line = text.count("\n", 0, match.start(1))
        exec(compile("\n" * line + match[1], "docs/guides/exploring.md", "exec"), names)

    [shown] = re.findall(r"^```text\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    report, _, _ = names["report"].rpartition("\n")  # without the time that it took
    assert report + "\n" == shown
